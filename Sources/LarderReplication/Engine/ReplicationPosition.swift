/// A position in the order of an engine's commits.
public struct ReplicationPosition: Sendable, Hashable, CustomStringConvertible {
    /// The number of the commit in the engine's order, which starts at 0 before the first commit.
    ///
    /// Numbers may have gaps.
    public let revision: UInt64
    /// A random number that the engine draws for each position.
    ///
    /// After a failover that lost commits, the engine may assign the same revision again, but with a different token.
    public let token: UInt64

    /// Creates a position.
    ///
    /// - Parameters:
    ///   - revision: See ``revision``.
    ///   - token: See ``token``.
    public init(revision: UInt64, token: UInt64) {
        self.revision = revision
        self.token = token
    }

    /// The revision in decimal digits.
    public var description: String { "\(revision)" }
}

/// An instant in the time of an engine.
public struct ReplicationInstant: Sendable, Hashable, Comparable {
    /// The number of milliseconds since 1970 by the engine's clock.
    public let milliseconds: Int64

    /// Creates an instant.
    ///
    /// - Parameter milliseconds: The number of milliseconds since 1970 by the engine's clock.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Returns whether `left` is earlier than `right`.
    public static func < (left: ReplicationInstant, right: ReplicationInstant) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
