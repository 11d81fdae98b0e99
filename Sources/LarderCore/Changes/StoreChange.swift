/// The changes made by one commit, as delivered to observers.
public struct StoreChange: Sendable, Hashable {
    /// The origin of a change: this process, another process, or a bulk import.
    public struct Origin: Sendable, Hashable, CustomStringConvertible {
        /// The name of the origin for display, such as "this process".
        public let description: String
        private init(_ name: String) { description = name }

        /// The origin of changes made through any instance of the store in this process.
        public static let thisProcess = Origin("this process")
        /// The origin of changes made by another process that has the same store open.
        public static let anotherProcess = Origin("another process")
        /// The origin of changes made by a bulk import or a migration.
        public static let imported = Origin("import")
        /// The origin of changes made by another machine, and of changes of this machine that the cluster refused and that were undone.
        public static let cluster = Origin("cluster")
    }

    /// A changed key, with its old and new values.
    public struct Entry: Sendable, Hashable {
        /// The full key, including its prefix.
        public let key: String
        /// The value before the commit, or `nil` if the key had no value.
        public let old: StoredValue?
        /// The value after the commit, or `nil` if the key has no value.
        public let new: StoredValue?

        /// Creates an entry for a changed key.
        ///
        /// - Parameters:
        ///   - key: The full key.
        ///   - old: The value before the commit, or `nil` if the key had no value.
        ///   - new: The value after the commit, or `nil` if the key has no value.
        public init(key: String, old: StoredValue?, new: StoredValue?) {
            self.key = key
            self.old = old
            self.new = new
        }

        /// Returns whether two entries have bytewise equal keys and equal values.
        public static func == (left: Entry, right: Entry) -> Bool {
            left.key.hasSameBytes(as: right.key) && left.old == right.old && left.new == right.new
        }

        /// Hashes the properties that `==` compares.
        public func hash(into hasher: inout Hasher) {
            key.hashBytes(into: &hasher)
            hasher.combine(old)
            hasher.combine(new)
        }
    }

    /// The changed keys with their old and new values, in the order in which the commit first wrote the keys.
    ///
    /// Each key appears once. Keys whose values did not change are omitted. A change reported by a store is never empty.
    public var entries: [Entry]
    /// The origin of the change.
    public let origin: Origin

    /// Creates a change that describes one commit.
    ///
    /// - Parameters:
    ///   - entries: The changed keys with their old and new values.
    ///   - origin: The origin of the change.
    public init(entries: [Entry], origin: Origin) {
        self.entries = entries
        self.origin = origin
    }

    /// Returns this change limited to the keys that begin with `prefix`, or `nil` if no changed key has this prefix.
    func restricted(to prefix: String) -> StoreChange? {
        guard !prefix.isEmpty else { return self }
        let kept = entries.filter { $0.key.utf8.starts(with: prefix.utf8) }
        return kept.isEmpty ? nil : StoreChange(entries: kept, origin: origin)
    }
}

/// An event for the observers of a store.
public enum StoreEvent: Sendable, Hashable {
    /// A commit changed at least one observed key.
    case change(StoreChange)
    /// The given number of commits could not be reported individually.
    ///
    /// Either the reader fell behind or the store could not determine what the commits changed. Reread the values that you display or
    /// cache. A store reports every missed commit.
    case missed(Int)
}

/// A policy for buffering the commits that a reader has not read yet.
public enum StoreChangeBuffering: Sendable, Hashable {
    /// Buffers up to `limit` unread commits.
    ///
    /// When the limit is exceeded, the oldest unread commits are dropped, and one ``StoreEvent/missed(_:)`` reports their number.
    case all(limit: Int = 1_024)
    /// Merges unread commits into one, with the first old value and the last new value of each key.
    case latest
}
