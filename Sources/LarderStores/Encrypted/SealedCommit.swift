#if Encryption
import LarderCore

/// A commit on its way into the base, attempt by attempt.
struct SealedCommit {
    private let store: EncryptedStore
    private let batch: StoreBatch
    private var sealed: (writes: [(key: StoreKey, value: StoredValue?)], session: SealingSession?)?
    private var isFirstAttempt = true

    /// - Throws: ``StoreError`` for what can never be stored.
    init(_ batch: StoreBatch, in store: EncryptedStore) throws {
        try batch.validate()
        self.batch = batch
        self.store = store
    }

    /// What to commit to the base next, or `nil` when an expectation does not hold.
    ///
    /// Called again after the base has refused the last attempt: then something was written in between. The values are sealed
    /// anew only when that was another epoch.
    mutating func next() throws -> StoreBatch? {
        if !isFirstAttempt, let session = sealed?.session, try store.refreshedRing().epoch != session.epoch {
            sealed = nil
        }
        isFirstAttempt = false

        var attempt = StoreBatch()
        attempt.origin = batch.origin
        for expectation in batch.expectations {
            guard try expect(expectation, in: &attempt) else { return nil }
        }
        let (writes, session) = try sealed ?? seal()
        sealed = (writes, session)
        if let session { attempt.expect(.int(Int64(truncatingIfNeeded: session.epoch)), at: EncryptedStore.epochKey) }
        for write in writes { attempt.write(write.value, for: write.key) }
        return attempt
    }

    /// Turns an expectation that holds into one about what is sealed; `false` when it does not hold.
    private func expect(_ expectation: StoreBatch.Expectation, in attempt: inout StoreBatch) throws -> Bool {
        switch expectation {
        case .value(let expected, let key):
            let baseKey = store.ring.place(of: key).baseKey
            let entry = try store.entry(at: baseKey) { key.text }
            guard entry?.contents.value == expected else { return false }
            attempt.expect(entry?.stored, at: baseKey)
        case .entries(let expected, let prefix):
            let listing = try store.listing(prefix: prefix)
            guard listing.entries == expected else { return false }
            attempt.expect(listing.base, prefix: store.ring.basePrefix(prefix))
        }
        return true
    }

    private func seal() throws -> (writes: [(key: StoreKey, value: StoredValue?)], session: SealingSession?) {
        let ring = store.ring
        let count = batch.writes.count { $0.value != nil }
        guard count > 0 else { return (batch.writes.map { (ring.place(of: $0.key).baseKey, nil) }, nil) }
        var (session, counter) = try store.reserveSeals(count)
        let writes = try batch.writes.map { write -> (StoreKey, StoredValue?) in
            let place = ring.place(of: write.key)
            guard let value = write.value else { return (place.baseKey, nil) }
            defer { counter += 1 }
            return (
                place.baseKey,
                try SealedEntry.seal(
                    value,
                    at: place,
                    cipher: ring.options.cipher,
                    session: session,
                    counter: counter
                )
            )
        }
        return (writes, session)
    }
}

extension EncryptedStore {
    /// The right to seal `count` values: a session, and the first of as many counters.
    fileprivate func reserveSeals(_ count: Int) throws -> (SealingSession, UInt64) {
        var session = try sealingSession()
        while true {
            if let counter = session.reserve(count) { return (session, counter) }
            session = try beginSession()
        }
    }
}
#endif
