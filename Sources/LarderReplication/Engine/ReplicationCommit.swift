import LarderCore

/// A commit that a replica sends to an engine.
public struct ReplicationCommit: Sendable, Hashable {
    /// The identifier of a commit, which no two commits share.
    public struct Identifier: Sendable, Hashable {
        /// The first eight bytes, which are random for each instance of a store.
        public let session: UInt64
        /// The last eight bytes, which number the commits of a session.
        public let number: UInt64

        /// Creates an identifier.
        ///
        /// - Parameters:
        ///   - session: See ``session``.
        ///   - number: See ``number``.
        public init(session: UInt64, number: UInt64) {
            self.session = session
            self.number = number
        }
    }

    /// A condition that must hold at the position of the commit.
    ///
    /// An entry that has expired by the engine's time is absent.
    public enum Expectation: Sendable, Hashable {
        /// The key must hold the given value, or must be absent if the value is `nil`.
        case value([UInt8]?, key: [UInt8])
        /// The entries whose keys begin with the prefix, sorted by key and without reserved keys, must be exactly the given ones.
        case entries([Pair], prefix: [UInt8])
    }

    /// A key with a value.
    public struct Pair: Sendable, Hashable {
        /// The key.
        public let key: [UInt8]
        /// The value.
        public let value: [UInt8]

        /// Creates a pair of a key and a value.
        public init(key: [UInt8], value: [UInt8]) {
            self.key = key
            self.value = value
        }
    }

    /// A write or removal of one key.
    public struct Write: Sendable, Hashable {
        /// The key to write or remove.
        public let key: [UInt8]
        /// The new value, or `nil` to remove the key.
        public let value: [UInt8]?
        /// The instant at which the new value expires, or `nil` if it never expires.
        public let expiry: ReplicationInstant?

        /// Creates a write.
        ///
        /// - Parameters:
        ///   - value: The new value, or `nil` to remove the key.
        ///   - key: The key to write or remove.
        ///   - expiry: The instant at which the new value expires, or `nil` if it never expires.
        public init(_ value: [UInt8]?, key: [UInt8], expiry: ReplicationInstant? = nil) {
            self.key = key
            self.value = value
            self.expiry = expiry
        }
    }

    /// The identifiers of the commit, at least one.
    ///
    /// There are several if the replica sends several of its commits as one.
    public var identifiers: [Identifier]
    /// The engine's time at which the earliest identifier was drawn, or `nil` if it is unknown.
    ///
    /// An engine that has forgotten verdicts about identifiers of that time answers ``ReplicationAnswer/forgotten``. If the time is unknown,
    /// this applies if the engine has forgotten any verdict.
    public var drawn: ReplicationInstant?
    /// The conditions that must hold at the position of the commit.
    public var expectations: [Expectation]
    /// The writes, with at most one for each key.
    public var writes: [Write]

    /// Creates a commit.
    ///
    /// - Parameters:
    ///   - identifiers: See ``identifiers``.
    ///   - drawn: See ``drawn``.
    ///   - expectations: See ``expectations``.
    ///   - writes: See ``writes``.
    public init(
        identifiers: [Identifier],
        drawn: ReplicationInstant?,
        expectations: [Expectation] = [],
        writes: [Write]
    ) {
        self.identifiers = identifiers
        self.drawn = drawn
        self.expectations = expectations
        self.writes = writes
    }

    /// The number of operations, as `StoreLimits.operations` counts them, and one for each identifier after the first.
    public var operationCount: Int {
        expectations.reduce(writes.count + identifiers.count - 1) { $0 + $1.operationCount }
    }

    /// The number of bytes, as `StoreLimits.bytes` counts them.
    public var byteCount: Int {
        let bytes = writes.reduce(0) { $0 + $1.key.count + ($1.value?.count ?? 0) }
        return expectations.reduce(bytes) { $0 + $1.byteCount }
            + operationCount * StoreLimits.bytesOfEachOperation
    }
}

extension ReplicationCommit.Expectation {
    /// The number of operations: one for a value, and one for each entry and the prefix of a listing.
    var operationCount: Int {
        switch self {
        case .value: 1
        case .entries(let entries, _): entries.count + 1
        }
    }

    /// The number of bytes in keys and values.
    var byteCount: Int {
        switch self {
        case .value(let value, let key): key.count + (value?.count ?? 0)
        case .entries(let entries, let prefix): entries.reduce(prefix.count) { $0 + $1.key.count + $1.value.count }
        }
    }
}
