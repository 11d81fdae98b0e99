public import LarderCore

/// A query for the value stored under an identifier.
///
/// Calls such as `get("pi")` and `put(3, forId: "pi")` create this query.
///
/// `KeyConvertible` converts the identifier to a key that is stable across launches of the program.
public struct IdQuery<T: KeyConvertible>: KeyQuery, Hashable {
    /// The identifier of the value that the query selects.
    public let id: T

    /// Creates a query for an identifier.
    ///
    /// - Parameter id: The identifier of the value. Its `storageKey` is the key of the query.
    @inlinable
    public init(_ id: T) { self.id = id }

    /// The storage key of the identifier.
    @inlinable public var key: String { id.storageKey }
}
