public import LarderCore

/// A query for the values that belong to several identifiers, in their order.
///
/// It names several keys, so it asks for a list, or says what to delete; a source does not take it for one value.
public struct IdsQuery<T: KeyConvertible>: StorageQuery, Hashable {
    /// The identifiers.
    public let ids: [T]

    /// A query for several identifiers.
    ///
    /// - Parameter ids: Used by their `storageKey`s.
    public init(_ ids: [T]) { self.ids = ids }

    /// The keys of the identifiers, in their order.
    public var selection: StorageSelection { .keys(ids.map(\.storageKey)) }
}

/// A query for one text identifier.
public typealias StringIdQuery = IdQuery<String>
/// A query for one whole number.
public typealias IntegerIdQuery = IdQuery<Int>
/// A query for several whole numbers.
public typealias IntegerIdsQuery = IdsQuery<Int>
