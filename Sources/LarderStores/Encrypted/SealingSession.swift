#if Encryption
import Crypto
import LarderCore
import LarderFiles
import Synchronization

/// The right of one instance in one process to seal: a key that nobody else seals with, and a counter.
final class SealingSession: Sendable {
    let number: UInt32
    /// The epoch in which it was begun, and in which alone its entries may be committed.
    let epoch: UInt64
    /// ``epoch`` as it stands in the base.
    var epochValue: StoredValue { .int(storedEpoch) }
    let storedEpoch: Int64
    let key: SymmetricKey
    private let limit: UInt64
    private let forkGeneration = CurrentProcess.forkGeneration
    private let next = Atomic<UInt64>(0)

    init(number: UInt32, epoch: UInt64, key: SymmetricKey, limit: UInt64) {
        self.number = number
        self.epoch = epoch
        storedEpoch = Int64(truncatingIfNeeded: epoch)
        self.key = key
        self.limit = limit
    }

    /// The first of `count` counters that are handed out only this once, or `nil` when another session must be begun.
    func reserve(_ count: Int) -> UInt64? {
        // A forked child has a copy of the key and the counter; it would use the same nonces as its parent.
        guard CurrentProcess.forkGeneration == forkGeneration else { return nil }
        let first = next.wrappingAdd(UInt64(count), ordering: .relaxed).oldValue
        // The counter passes the limit by what the threads ask for at one moment, and never comes near 2^64.
        return first < limit ? first : nil
    }
}
#endif
