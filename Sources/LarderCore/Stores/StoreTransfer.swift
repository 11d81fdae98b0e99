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

    /// The keys whose values are in the destination now, in key order; none when nothing was copied.
    public let carried: [String]
    /// Those of ``carried`` that the destination holds in another form, such as a list as a sorted set.
    public let altered: [String]
    /// What the destination can't hold, in key order.
    public let refused: [Refusal]

    /// Whether everything is in the destination exactly as it was.
    public var isExact: Bool { altered.isEmpty && refused.isEmpty }
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
    /// - Returns: What was copied, and what can't be.
    /// - Throws: ``StoreError`` when a store cannot be read or written; then nothing was changed.
    public func copyEntries(
        from source: any KeyValueStore,
        prefix: String = "",
        _ completeness: StoreTransfer.Completeness
    ) throws -> StoreTransfer {
        var batch = StoreBatch()
        batch.origin = .imported
        var refused: [StoreTransfer.Refusal] = []
        let entries = try source.entries(prefix: prefix)
        for entry in entries {
            do {
                try validate(entry.value, for: StoreKey(entry.key))
                batch.set(entry.value, for: StoreKey(entry.key))
            } catch let error as StoreError {
                refused.append(.init(key: entry.key, kind: entry.value.kind, reason: error.message))
            }
        }
        if !refused.isEmpty, completeness == .all { return StoreTransfer(carried: [], altered: [], refused: refused) }
        _ = try commit(batch)

        let refusedKeys = Set(refused.map { StoreKey($0.key) })
        let carried = entries.filter { !refusedKeys.contains(StoreKey($0.key)) }
        // The commit stands: what can't be read back now is not the same either.
        let altered = carried.filter { (try? get(StoreKey($0.key))) != $0.value }
        return StoreTransfer(carried: carried.map(\.key), altered: altered.map(\.key), refused: refused)
    }
}
