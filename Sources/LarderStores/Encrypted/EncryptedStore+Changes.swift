#if Encryption
public import LarderCore

extension EncryptedStore {
    /// Returns a sequence of the changes made by subsequent commits, in commit order.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise. An empty string matches all keys.
    ///   - buffering: The policy for commits that the reader has not read yet.
    /// - Returns: A sequence of decrypted changes for one reader. A change that can't be decrypted is reported as missed. The sequence ends
    ///   when this instance is released or the base is closed.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        // Decrypted on the committing thread before buffering, so that commits without a visible change take up no space in the buffer.
        StoreChanges(buffering: buffering) { observe(prefix: prefix, $0) }
    }

    /// Calls `handler` after each subsequent commit.
    ///
    /// Calls are made one at a time, in commit order, while no lock is held.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise. An empty string matches all keys.
    ///   - handler: A closure that receives one decrypted event per commit. A change that can't be decrypted is reported as missed.
    /// - Returns: The observation, which ends when it is canceled or released, or when this instance is released.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        let observation = base.observe(prefix: EntryName.basePrefix(prefix, options)) { [weak self] event in
            if let event = self?.opened(event, prefix: prefix) { handler(event) }
        }
        let number = observations.hold(observation)
        return StoreObservation { [weak self] in self?.observations.end(number) }
    }

    /// Decrypts an event of the base store, or returns `nil` if the event changes no user key with the given prefix.
    private func opened(_ event: StoreEvent, prefix: String) -> StoreEvent? {
        guard case .change(let change) = event else { return event }
        do {
            let entries = try change.entries.compactMap { try opened($0, prefix: prefix) }
            return entries.isEmpty ? nil : .change(StoreChange(entries: entries, origin: change.origin))
        } catch {
            issues.report(
                LarderIssue(
                    .readFailed,
                    "A change to the encrypted store could not be decrypted and was delivered as missed. Read the affected values again.",
                    key: (error as? StoreError)?.key,
                    underlying: error
                )
            )
            return .missed(1)
        }
    }

    private func opened(_ entry: StoreChange.Entry, prefix: String) throws -> StoreChange.Entry? {
        if !options.hidesNames, EntryName.key(entry.key) == nil { return nil }
        let old = try entry.old.map { try opened($0, at: entry.key) }
        let new = try entry.new.map { try opened($0, at: entry.key) }
        guard let name = new?.name ?? old?.name, let key = EntryName.key(name), key.utf8.starts(with: prefix.utf8),
            old?.value != new?.value
        else { return nil }
        return StoreChange.Entry(key: key, old: old?.value, new: new?.value)
    }

    private func opened(_ stored: StoredValue, at baseKey: String) throws -> SealedEntry.Contents {
        while true {
            let ring = self.ring
            if let contents = try open(stored, at: baseKey, ring: ring) { return contents }
            guard try isOutdated(ring) else { throw StoreError.damagedSeal(EntryName.key(baseKey) ?? baseKey) }
        }
    }
}
#endif
