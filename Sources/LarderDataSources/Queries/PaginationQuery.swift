public import LarderCore

/// A query for an entire paginated list or for a page of it.
public protocol PaginatedQuery: KeyQuery {
    /// The identifier of the full list.
    var identifier: String { get }
}

/// A query for an entire paginated list.
public struct PaginationQuery: PaginatedQuery, Hashable {
    /// The identifier of the full list.
    public let identifier: String

    /// Creates a query for an entire paginated list.
    public init(_ identifier: String) { self.identifier = identifier }

    /// The key of the query, which is the same as ``identifier``.
    public var key: String { identifier }
}

/// A query for a page of a list, specified by an offset and a limit.
public struct PaginationOffsetLimitQuery: PaginatedQuery, Hashable {
    /// The identifier of the full list.
    public let identifier: String
    /// The number of elements before the page.
    public let offset: UInt
    /// The maximum number of elements on the page.
    public let limit: UInt

    /// Creates a query for a page of a list.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the full list.
    ///   - offset: The number of elements before the page.
    ///   - limit: The maximum number of elements on the page.
    public init(_ identifier: String, _ offset: UInt, _ limit: UInt) {
        self.identifier = identifier
        self.offset = offset
        self.limit = limit
    }

    /// The key in the format `IDENTIFIER-OFFSET-LIMIT`.
    ///
    /// Different pages have different keys.
    public var key: String { "\(identifier)-\(offset)-\(limit)" }
}

/// A query for a page of a list, specified by a page number and a page size.
public struct PaginationPageQuery: PaginatedQuery, Hashable {
    /// The identifier of the full list.
    public let identifier: String
    /// The page number.
    ///
    /// The data source defines whether the first page is 0 or 1.
    public let page: UInt
    /// The number of elements on a page.
    public let size: UInt

    /// Creates a query for a page of a list.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the full list.
    ///   - page: The page number. The data source defines whether the first page is 0 or 1.
    ///   - size: The number of elements on a page.
    public init(_ identifier: String, page: UInt, size: UInt) {
        self.identifier = identifier
        self.page = page
        self.size = size
    }

    /// The key in the format `IDENTIFIER-page-PAGE-SIZE`.
    public var key: String { "\(identifier)-page-\(page)-\(size)" }
}

/// A page of a list, together with its offset and limit.
public struct PaginationOffsetLimit<T> {
    /// The elements on the page.
    public let values: [T]
    /// The number of elements before the page.
    public let offset: UInt
    /// The maximum number of elements on the page.
    public let limit: UInt
    /// The number of elements in the full list, or `nil` if it is unknown.
    public let size: UInt?

    /// Creates a page of a list.
    ///
    /// - Parameters:
    ///   - values: The elements on the page.
    ///   - offset: The number of elements before the page.
    ///   - limit: The maximum number of elements on the page.
    ///   - size: The number of elements in the full list, or `nil` if it is unknown.
    public init(values: [T], offset: UInt, limit: UInt, size: UInt? = nil) {
        self.values = values
        self.offset = offset
        self.limit = limit
        self.size = size
    }
}

extension PaginationOffsetLimit: Sendable where T: Sendable {}
extension PaginationOffsetLimit: Equatable where T: Equatable {}
