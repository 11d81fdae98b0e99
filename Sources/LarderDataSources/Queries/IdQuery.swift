public import LarderCore

/// A query for the value that belongs to one identifier: what `get("pi")` and `put(3, forId: "pi")` wrap.
///
/// The identifier becomes a key through ``LarderCore/KeyConvertible``, so it names the same value in every launch.
public struct IdQuery<T: KeyConvertible>: KeyQuery, Hashable {
    /// The identifier.
    public let id: T

    /// A query for one identifier.
    ///
    /// - Parameter id: Used by its `storageKey`.
    @inlinable
    public init(_ id: T) { self.id = id }

    /// The stable text of the identifier.
    @inlinable public var key: String { id.storageKey }
}
