public import LarderCore

/// A query for the values that are stored for several identifiers, in the order of the identifiers.
///
/// Use this query to read or write a list, or to delete values. It can't be used to read or write a single value.
public struct IdsQuery<T: KeyConvertible>: StoreQuery, Hashable {
    /// The identifiers whose values the query selects.
    public let ids: [T]

    /// Creates a query for several identifiers.
    ///
    /// - Parameter ids: The identifiers of the values. Their `storageKey`s are the keys of the query.
    public init(_ ids: [T]) { self.ids = ids }

    /// A selection of the identifiers' storage keys, in the same order.
    public var selection: StoreSelection { .keys(ids.map(\.storageKey)) }
}

/// A query for a string identifier.
public typealias StringIdQuery = IdQuery<String>
/// A query for an integer identifier.
public typealias IntegerIdQuery = IdQuery<Int>
/// A query for several integer identifiers.
public typealias IntegerIdsQuery = IdsQuery<Int>
