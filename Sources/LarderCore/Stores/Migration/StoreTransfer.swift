/// The result of copying entries from one store into another.
///
/// Check this result after each copy, because an entry that was not copied does not cause an error.
public struct StoreTransfer: Sendable, Hashable {
    /// A policy for entries that the destination rejects.
    public struct Completeness: Sendable, Hashable {
        private enum Choice { case all, possible }
        private let choice: Choice

        /// A policy that copies nothing if the destination rejects any entry.
        public static let all = Completeness(choice: .all)
        /// A policy that copies the entries that the destination accepts.
        public static let possible = Completeness(choice: .possible)
    }

    /// An entry that the destination rejects.
    public struct Refusal: Sendable, Hashable {
        /// The key of the entry.
        public let key: String
        /// The kind of the entry's value.
        public let kind: StoredValue.Kind
        /// The reason why the destination rejects the entry, as one sentence.
        public let reason: String
    }

    /// An entry that was copied but could not be read back from the destination.
    public struct Unreadable: Sendable, Hashable {
        /// The key of the entry.
        public let key: String
        /// The reason why the entry could not be read, as one sentence.
        public let reason: String
    }

    /// The keys that were copied, in key order, or an empty array if nothing was copied.
    public let copied: [String]
    /// The subset of ``copied`` that the destination stores in another form, such as a list that became a sorted set.
    public let altered: [String]
    /// The subset of ``copied`` that could not be read back, so the stored form of these entries is unknown.
    public let unreadable: [Unreadable]
    /// The entries that the destination rejects, in key order.
    public let refused: [Refusal]

    /// Whether the destination contains all entries exactly as they were in the source.
    public var isExact: Bool { altered.isEmpty && unreadable.isEmpty && refused.isEmpty }

    init(copied: [String] = [], altered: [String] = [], unreadable: [Unreadable] = [], refused: [Refusal] = []) {
        self.copied = copied
        self.altered = altered
        self.unreadable = unreadable
        self.refused = refused
    }
}

extension KeyValueStore {
    /// Copies entries of another store into this store, in one atomic commit.
    ///
    /// The entries are a consistent snapshot of `source`. Existing values under the copied keys are replaced and other keys are left
    /// unchanged. Observers are notified with the origin `.imported`.
    ///
    /// - Parameters:
    ///   - source: The store to copy from.
    ///   - prefix: The prefix of the keys to copy, compared bytewise. An empty string matches all keys.
    ///   - completeness: The policy for an entry that this store rejects.
    ///   - progress: A closure that is called with the progress on the calling thread. Each entry counts twice: once when it is checked,
    ///     and once when it is read back.
    /// - Returns: The copied and the rejected entries.
    /// - Throws: ``StoreError`` if a store cannot be read or written. A failed copy changes nothing.
    public func copyEntries(
        from source: any KeyValueStore,
        prefix: String = "",
        _ completeness: StoreTransfer.Completeness,
        progress: (StoreProgress) -> Void = { _ in }
    ) throws -> StoreTransfer {
        let plan = TransferPlan(try source.entries(prefix: prefix), into: self, progress: progress)
        if !plan.refused.isEmpty, completeness == .all { return StoreTransfer(refused: plan.refused) }
        var batch = StoreBatch()
        batch.origin = .imported
        for entry in plan.accepted { batch.set(entry.value, for: StoreKey(entry.key)) }
        _ = try commit(batch)
        return plan.outcome(in: self, progress: progress)
    }

    /// Returns the expected result of ``copyEntries(from:prefix:_:progress:)``, without copying anything.
    ///
    /// The preview doesn't predict which values this store would convert to another form.
    ///
    /// - Parameters:
    ///   - source: The store to copy from.
    ///   - prefix: The prefix of the keys to copy, compared bytewise. An empty string matches all keys.
    ///   - completeness: The policy for an entry that this store rejects.
    /// - Returns: The entries that would be copied and the entries that would be rejected.
    /// - Throws: ``StoreError`` if the source cannot be read.
    public func previewOfCopy(
        from source: any KeyValueStore,
        prefix: String = "",
        _ completeness: StoreTransfer.Completeness
    ) throws -> StoreTransfer {
        let plan = TransferPlan(try source.entries(prefix: prefix), into: self)
        let isRefused = !plan.refused.isEmpty && completeness == .all
        return StoreTransfer(copied: isRefused ? [] : plan.accepted.map(\.key), refused: plan.refused)
    }
}
