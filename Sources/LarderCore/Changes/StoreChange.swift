/// One commit, as observers see it: everything that it changed, at once.
public struct StoreChange: Sendable, Hashable {
    /// Who made a change.
    public struct Origin: Sendable, Hashable, CustomStringConvertible {
        /// The name that is printed.
        public let description: String
        private init(_ name: String) { description = name }

        /// This process, through any instance of the store.
        public static let thisProcess = Origin("this process")
        /// Another process that has the same store open.
        public static let anotherProcess = Origin("another process")
        /// A bulk import or migration.
        public static let imported = Origin("import")
    }

    /// One key and what it was and is.
    public struct Entry: Sendable, Hashable {
        /// The whole key.
        public let key: String
        /// The value before the commit; `nil` for none.
        public let old: StoredValue?
        /// The value after the commit; `nil` for none.
        public let new: StoredValue?

        /// One key's change.
        ///
        /// - Parameters:
        ///   - key: The whole key.
        ///   - old: The value before.
        ///   - new: The value after.
        public init(key: String, old: StoredValue?, new: StoredValue?) {
            self.key = key
            self.old = old
            self.new = new
        }

        /// Compares keys by bytes and values by ``StoredValue`` identity.
        public static func == (left: Entry, right: Entry) -> Bool {
            left.key.hasSameBytes(as: right.key) && left.old == right.old && left.new == right.new
        }

        /// Hashes what `==` compares.
        public func hash(into hasher: inout Hasher) {
            key.hashBytes(into: &hasher)
            hasher.combine(old)
            hasher.combine(new)
        }
    }

    /// What changed, each key once, in the order in which the commit first wrote them.
    ///
    /// Never empty; keys whose value stayed
    /// the same are left out.
    public var entries: [Entry]
    /// Who made the change.
    public let origin: Origin

    /// A change.
    ///
    /// - Parameters:
    ///   - entries: What changed.
    ///   - origin: Who made it.
    public init(entries: [Entry], origin: Origin) {
        self.entries = entries
        self.origin = origin
    }

    /// The part of this change that concerns keys beginning with `prefix`, or `nil` when there is none.
    func restricted(to prefix: String) -> StoreChange? {
        guard !prefix.isEmpty else { return self }
        let kept = entries.filter { $0.key.utf8.starts(with: prefix.utf8) }
        return kept.isEmpty ? nil : StoreChange(entries: kept, origin: origin)
    }
}

/// What an observer of a store is told.
public enum StoreEvent: Sendable, Hashable {
    /// One commit.
    case change(StoreChange)
    /// So many commits can't be told, because the reader fell behind or the store could not find out what they changed: read again
    /// what matters. Never a silent gap.
    case missed(Int)
}

/// What happens to changes that a reader has not taken yet.
public enum StoreChangeBuffering: Sendable, Hashable {
    /// Every commit is kept, up to `limit`; beyond it the oldest are dropped and one ``StoreEvent/missed(_:)`` counts them.
    case all(limit: Int = 1_024)
    /// Unread commits are merged into one: for each key the first old value and the last new one.
    case latest
}
