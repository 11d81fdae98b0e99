#if Encryption
import LarderCore

/// A commit on its way into the base, attempt by attempt.
struct SealedCommit {
    private let store: EncryptedStore
    private let batch: StoreBatch
    /// The writes as they go into the base, when they have been sealed, and what they were sealed by, if any sets a value.
    private var sealed: (writes: StoreBatch.Writes, seals: ReservedSeals?)?
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
        if !isFirstAttempt, let seals = sealed?.seals, try store.refreshedRing().epoch != seals.epoch {
            sealed = nil
        }
        isFirstAttempt = false

        var attempt = StoreBatch()
        attempt.origin = batch.origin
        for expectation in batch.expectations {
            guard try expect(expectation, in: &attempt) else { return nil }
        }
        if let sealed {
            if let seals = sealed.seals { attempt.expect(seals.epochValue, at: EncryptedStore.epochKey) }
            for write in sealed.writes { attempt.write(write.value, for: write.key) }
        } else {
            let seals = try seal(into: &attempt)
            sealed = (attempt.writes, seals)
        }
        return attempt
    }

    /// Turns an expectation that holds into one about what is sealed; `false` when it does not hold.
    private func expect(_ expectation: StoreBatch.Expectation, in attempt: inout StoreBatch) throws -> Bool {
        switch expectation {
        case .value(let expected, let key):
            let baseKey = store.names.place(of: key).baseKey
            let entry = try store.entry(at: baseKey) { key.text }
            guard entry?.contents.value == expected else { return false }
            attempt.expect(entry?.stored, at: baseKey)
        case .entries(let expected, let prefix):
            let listing = try store.listing(prefix: prefix)
            guard listing.entries == expected else { return false }
            attempt.expect(listing.base, prefix: store.names.basePrefix(prefix))
        }
        return true
    }

    /// Adds the writes, sealed, and the epoch they need; returns what they were sealed by, if any was.
    private func seal(into attempt: inout StoreBatch) throws -> ReservedSeals? {
        let writes = batch.writes
        let count = writes.indices.count { writes.value(at: $0) != nil }
        guard count > 0 else {
            for write in batch.writes { attempt.remove(store.names.place(of: write.key).baseKey) }
            return nil
        }
        var seals = try store.reserveSeals(count)
        attempt.expect(seals.epochValue, at: EncryptedStore.epochKey)
        for write in batch.writes {
            let place = store.names.place(of: write.key)
            guard let value = write.value else {
                attempt.remove(place.baseKey)
                continue
            }
            let sealed = try SealedEntry.seal(
                value,
                at: place.baseKey,
                sealingName: place.sealedName,
                cipher: store.options.cipher,
                by: seals
            )
            attempt.set(sealed, for: place.baseKey)
            seals.counter += 1
        }
        return seals
    }
}
#endif
