#if Encryption
public import LarderCore

extension EncryptedStore {
    /// The commits from now on, in commit order.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that begin with exactly these bytes.
    ///   - buffering: What to do when the reader falls behind.
    /// - Returns: A sequence for one reader, values opened; an event that can't be opened is one missed. It ends when this instance is
    ///   released, or the base is closed.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        // Opened before they are kept, on the thread that commits: what changes nothing for users takes no room.
        StoreChanges(buffering: buffering) { observe(prefix: prefix, $0) }
    }

    /// Calls `handler` for every commit from now on, in commit order, one call at a time, outside every lock.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that begin with exactly these bytes.
    ///   - handler: Called with one event a commit, values opened; an event that can't be opened is one missed.
    /// - Returns: The observation; it ends when cancelled or released, and with this instance.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        let observation = base.observe(prefix: names.basePrefix(prefix)) { [weak self] event in
            if let event = self?.opened(event, prefix: prefix) { handler(event) }
        }
        let number = observations.hold(observation)
        return StoreObservation { [weak self] in self?.observations.end(number) }
    }

    /// The event as users of this store see it, or `nil` when it changed nothing for them.
    private func opened(_ event: StoreEvent, prefix: String) -> StoreEvent? {
        guard case .change(let change) = event else { return event }
        do {
            let entries = try change.entries.compactMap { try opened($0, prefix: prefix) }
            return entries.isEmpty ? nil : .change(StoreChange(entries: entries, origin: change.origin))
        } catch {
            issues.report(
                LarderIssue(
                    .readFailed,
                    "A change of the encrypted store could not be opened: read again what matters.",
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
            guard try isOvertaken(ring) else { throw StoreError.damagedSeal(EntryName.key(baseKey) ?? baseKey) }
        }
    }
}
#endif
