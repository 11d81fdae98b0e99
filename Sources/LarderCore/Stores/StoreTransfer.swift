/// What became of the entries that were to be copied from one store into another.
///
/// Look at it: an entry that was not carried is no error.
public struct StoreTransfer: Sendable, Hashable {
    /// What to do when the destination can't hold an entry.
    public struct Completeness: Sendable, Hashable {
        private enum Choice { case all, possible }
        private let choice: Choice

        /// Copies nothing at all.
        public static let all = Completeness(choice: .all)
        /// Copies the others.
        public static let possible = Completeness(choice: .possible)
    }

    /// An entry that the destination can't hold.
    public struct Refusal: Sendable, Hashable {
        /// Its key.
        public let key: String
        /// What kind of value it has.
        public let kind: StoredValue.Kind
        /// One sentence: why the destination can't hold it.
        public let reason: String
    }

    /// An entry that is in the destination and could not be read back there.
    public struct Unread: Sendable, Hashable {
        /// Its key.
        public let key: String
        /// One sentence: why it could not be read.
        public let reason: String
    }

    /// The keys whose values are in the destination now, in key order; none when nothing was copied.
    public let carried: [String]
    /// Those of ``carried`` that the destination holds in another form, such as a list as a sorted set.
    public let altered: [String]
    /// Those of ``carried`` that could not be read back, so that nobody knows in which form they are there.
    public let unread: [Unread]
    /// What the destination can't hold, in key order.
    public let refused: [Refusal]

    /// Whether everything is in the destination exactly as it was.
    public var isExact: Bool { altered.isEmpty && unread.isEmpty && refused.isEmpty }

    init(carried: [String] = [], altered: [String] = [], unread: [Unread] = [], refused: [Refusal] = []) {
        self.carried = carried
        self.altered = altered
        self.unread = unread
        self.refused = refused
    }
}

extension KeyValueStore {
    /// Copies entries of another store into this one, in one commit: all of them are there afterwards, or none.
    ///
    /// The entries are of one moment of `source`. A value that is already under a key is replaced, other keys stay as they are,
    /// and observers are told with the origin `.imported`.
    ///
    /// - Parameters:
    ///   - source: Any store.
    ///   - prefix: Only keys that begin with exactly these bytes; the empty text means all.
    ///   - completeness: What to do when this store can't hold an entry.
    ///   - progress: Called on this thread with the entries that were checked and read back, twice what there is in all.
    /// - Returns: What was copied, and what can't be.
    /// - Throws: ``StoreError`` when a store cannot be read or written; then nothing was changed.
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

    /// What ``copyEntries(from:prefix:_:progress:)`` would copy now; writes nothing.
    ///
    /// In which form this store would hold a value is not known before it does.
    ///
    /// - Parameters:
    ///   - source: Any store.
    ///   - prefix: Only keys that begin with exactly these bytes; the empty text means all.
    ///   - completeness: What to do when this store can't hold an entry.
    /// - Returns: What would be carried, and what this store can't hold.
    /// - Throws: ``StoreError`` when the source cannot be read.
    public func previewOfCopy(
        from source: any KeyValueStore,
        prefix: String = "",
        _ completeness: StoreTransfer.Completeness
    ) throws -> StoreTransfer {
        let plan = TransferPlan(try source.entries(prefix: prefix), into: self)
        let isRefused = !plan.refused.isEmpty && completeness == .all
        return StoreTransfer(carried: isRefused ? [] : plan.accepted.map(\.key), refused: plan.refused)
    }
}
