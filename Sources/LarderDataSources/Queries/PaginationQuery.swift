public import LarderCore

/// A query for one part of a longer list.
public protocol PaginatedQuery: KeyQuery {
    /// What the whole list is called.
    var identifier: String { get }
}

/// A query for a list that is served in parts, without saying which part.
public struct PaginationQuery: PaginatedQuery, Hashable {
    /// What the whole list is called.
    public let identifier: String

    /// A query for a list.
    public init(_ identifier: String) { self.identifier = identifier }

    /// The identifier.
    public var key: String { identifier }
}

/// A query for the part of a list that begins at an offset.
public struct PaginationOffsetLimitQuery: PaginatedQuery, Hashable {
    /// What the whole list is called.
    public let identifier: String
    /// How many elements come before the part.
    public let offset: UInt
    /// How many elements the part has at most.
    public let limit: UInt

    /// A query for a part.
    ///
    /// - Parameters:
    ///   - identifier: What the whole list is called.
    ///   - offset: How many elements come before the part.
    ///   - limit: How many elements the part has at most.
    public init(_ identifier: String, _ offset: UInt, _ limit: UInt) {
        self.identifier = identifier
        self.offset = offset
        self.limit = limit
    }

    /// The identifier, the offset and the limit, with "-" between them.
    ///
    /// Two different parts never have one key: the last two numbers have no "-" in them.
    public var key: String { "\(identifier)-\(offset)-\(limit)" }
}

/// A query for one page of a list.
public struct PaginationPageQuery: PaginatedQuery, Hashable {
    /// What the whole list is called.
    public let identifier: String
    /// Which page.
    public let page: UInt
    /// How many elements a page has.
    public let size: UInt

    /// A query for a page.
    ///
    /// - Parameters:
    ///   - identifier: What the whole list is called.
    ///   - page: Which page, counted as the source counts.
    ///   - size: How many elements a page has.
    public init(_ identifier: String, page: UInt, size: UInt) {
        self.identifier = identifier
        self.page = page
        self.size = size
    }

    /// The identifier, "page", the number and the size, with "-" between them.
    public var key: String { "\(identifier)-page-\(page)-\(size)" }
}

/// A part of a longer list.
public struct PaginationOffsetLimit<T> {
    /// The elements of the part.
    public let values: [T]
    /// How many elements come before it.
    public let offset: UInt
    /// How many elements it has at most.
    public let limit: UInt
    /// How many elements the whole list has, if that is known.
    public let size: UInt?

    /// A part.
    ///
    /// - Parameters:
    ///   - values: The elements of the part.
    ///   - offset: How many elements come before it.
    ///   - limit: How many elements it has at most.
    ///   - size: How many elements the whole list has.
    public init(values: [T], offset: UInt, limit: UInt, size: UInt? = nil) {
        self.values = values
        self.offset = offset
        self.limit = limit
        self.size = size
    }
}

extension PaginationOffsetLimit: Sendable where T: Sendable {}
extension PaginationOffsetLimit: Equatable where T: Equatable {}
