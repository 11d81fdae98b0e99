#if Encryption
import Crypto
import LarderCore
import LarderFiles

/// An encryption session with its own key and nonce counter.
///
/// The type is noncopyable, so that no nonce is used twice.
struct SealingSession: ~Copyable, Sendable {
    /// The epoch in which the session began, and in which all entries of the session must be committed.
    let epoch: UInt64
    private let number: UInt32
    private let salt: SessionSalt?
    private let key: SymmetricKey
    private let limit: UInt64
    private let forkGeneration = CurrentProcess.forkGeneration
    private var next: UInt64 = 0

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - number: The number of the session, or of its data key if salts are in the entries.
    ///   - salt: The salt to store in each entry, or `nil` if the session has a record.
    ///   - epoch: See ``epoch``.
    ///   - key: The key of the session, which no other session has.
    ///   - limit: The number of entries after which a new session is needed.
    init(number: UInt32, salt: SessionSalt? = nil, epoch: UInt64, key: SymmetricKey, limit: UInt64) {
        self.number = number
        self.salt = salt
        self.epoch = epoch
        self.key = key
        self.limit = limit
    }

    /// Reserves `count` nonces, or returns `nil` if a new session is needed.
    mutating func reserve(_ count: Int) -> ReservedSeals? {
        // A forked child has a copy of the key and the counter, and would reuse its parent's nonces.
        guard next < limit, CurrentProcess.forkGeneration == forkGeneration else { return nil }
        let first = next
        // The counter exceeds the limit by at most one commit and never comes near 2^64.
        next += UInt64(count)
        return ReservedSeals(session: number, salt: salt, epoch: epoch, key: key, counter: first)
    }
}

/// A range of reserved nonces from one session, each of which may be used only once.
struct ReservedSeals: Sendable {
    let session: UInt32
    let salt: SessionSalt?
    let epoch: UInt64
    let key: SymmetricKey
    /// The counter value of the next unused nonce.
    var counter: UInt64

    /// The epoch as the signed integer that is stored in the base store.
    var storedEpoch: Int64 { Int64(truncatingIfNeeded: epoch) }
    var epochValue: StoredValue { .int(storedEpoch) }
}
#endif
