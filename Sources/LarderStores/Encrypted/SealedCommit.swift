#if Encryption
import LarderCore

/// The encrypted form of a commit.
///
/// The caller passes each batch from ``next()`` to the base store until a commit succeeds or ``next()`` returns `nil`.
struct SealedCommit {
    private let store: EncryptedStore
    private let batch: StoreBatch
    /// The encrypted writes and their nonces, or `nil` if the values have yet to be encrypted.
    private var sealed: (writes: StoreBatch.Writes, seals: ReservedSeals?)?
    private var isFirstAttempt = true

    /// Creates a commit of `batch` to `store`.
    ///
    /// - Throws: `StoreError` if the batch contains an invalid key or value.
    init(_ batch: StoreBatch, in store: EncryptedStore) throws {
        try batch.validate()
        try store.limits?.check(batch)
        for write in batch.writes { try store.checkReplicates(write.key) }
        self.batch = batch
        self.store = store
    }

    /// Returns the next batch to commit to the base store, or `nil` if an expectation doesn't hold.
    ///
    /// Call this method again if the base store rejects the batch because of a conflicting write. The values are re-encrypted only if the
    /// data keys have changed.
    mutating func next() throws -> StoreBatch? {
        if !isFirstAttempt, let seals = sealed?.seals, try store.storedHeader()?.ring.epoch != seals.epoch {
            sealed = nil
        }
        isFirstAttempt = false
        while true {
            let current = try store.currentNames()
            switch try attempt(with: current) {
            case .batch(let batch): return batch
            case .refused: if try store.isCurrent(current) { return nil }
            case .outdated: break
            }
            // The batch is prepared again with the names of the header that has come in between.
            sealed = nil
        }
    }

    private enum Attempt {
        case batch(StoreBatch)
        /// An expectation does not hold.
        case refused
        /// The values were sealed under another header than the one that the names belong to.
        case outdated
    }

    private mutating func attempt(with current: CurrentNames) throws -> Attempt {
        var attempt = StoreBatch()
        attempt.origin = batch.origin
        for expectation in batch.expectations {
            guard try expect(expectation, current.names, in: &attempt) else { return .refused }
        }
        if let sealed {
            if let seals = sealed.seals { attempt.expect(seals.epochValue, at: EncryptedStore.epochKey) }
            for write in sealed.writes { attempt.write(write.value, for: write.key) }
        } else {
            let seals = try seal(into: &attempt, current.names)
            sealed = (attempt.writes, seals)
        }
        // Hidden names belong to one header.
        guard let header = current.header, !batch.writes.isEmpty else { return .batch(attempt) }
        if let seals = sealed?.seals {
            guard seals.epoch == header.epoch else { return .outdated }
        } else {
            attempt.expect(header.stored, at: EncryptedStore.epochKey)
            // The next attempt may need other names.
            sealed = nil
        }
        return .batch(attempt)
    }

    /// Adds to `attempt` the equivalent of `expectation` for encrypted entries.
    ///
    /// Returns `false` if the expectation doesn't hold.
    private func expect(
        _ expectation: StoreBatch.Expectation,
        _ names: EntryNames,
        in attempt: inout StoreBatch
    ) throws -> Bool {
        switch expectation {
        case .value(let expected, let key):
            let baseKey = names.place(of: key).baseKey
            let entry = try store.entry(at: baseKey) { key.text }
            guard entry?.contents.value == expected else { return false }
            attempt.expect(entry?.stored, at: baseKey)
        case .entries(let expected, let prefix):
            let listing = try store.listing(prefix: prefix)
            guard listing.entries == expected else { return false }
            attempt.expect(listing.base, prefix: EntryName.basePrefix(prefix, store.options))
        }
        return true
    }

    /// Adds the encrypted writes to `attempt`, with the expectation that the encryption epoch is unchanged.
    ///
    /// - Returns: The nonces that were used, or `nil` if no write sets a value.
    private func seal(into attempt: inout StoreBatch, _ names: EntryNames) throws -> ReservedSeals? {
        let count = batch.writes.count { $0.value != nil }
        guard count > 0 else {
            for write in batch.writes { attempt.remove(names.place(of: write.key).baseKey) }
            return nil
        }
        var seals = try store.reserveSeals(count)
        attempt.expect(seals.epochValue, at: EncryptedStore.epochKey)
        for write in batch.writes {
            let place = names.place(of: write.key)
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
