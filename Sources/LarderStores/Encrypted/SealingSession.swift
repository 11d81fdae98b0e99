#if Encryption
import Crypto
import LarderCore
import LarderFiles

/// The right of one instance in one process to seal: a key that nobody else seals with, and a counter.
///
/// It can't be copied, so that no counter is handed out twice.
struct SealingSession: ~Copyable, Sendable {
    /// The epoch in which it was begun, and in which alone its entries may be committed.
    let epoch: UInt64
    private let number: UInt32
    private let key: SymmetricKey
    private let limit: UInt64
    private let forkGeneration = CurrentProcess.forkGeneration
    private var next: UInt64 = 0

    init(number: UInt32, epoch: UInt64, key: SymmetricKey, limit: UInt64) {
        self.number = number
        self.epoch = epoch
        self.key = key
        self.limit = limit
    }

    /// The right to seal `count` values, or `nil` when another session must be begun.
    mutating func reserve(_ count: Int) -> ReservedSeals? {
        // A forked child has a copy of the key and the counter; it would use the same nonces as its parent.
        guard next < limit, CurrentProcess.forkGeneration == forkGeneration else { return nil }
        let first = next
        // Passes the limit by one commit at most, and never comes near 2^64.
        next += UInt64(count)
        return ReservedSeals(session: number, epoch: epoch, key: key, counter: first)
    }
}

/// The right to seal so many values as were asked for, once each, with the nonces of one session.
struct ReservedSeals: Sendable {
    let session: UInt32
    /// Of the session.
    let epoch: UInt64
    let key: SymmetricKey
    /// What the next value is sealed with.
    var counter: UInt64

    /// ``epoch`` as it stands in the base.
    var storedEpoch: Int64 { Int64(truncatingIfNeeded: epoch) }
    var epochValue: StoredValue { .int(storedEpoch) }
}
#endif
