#if Objects
public import Foundation

/// A request that fetches objects of one class, with a filter, a sort order and limits.
public struct ObjectRequest<T: Object> {
    /// The condition that objects must meet, or `nil` to match all objects.
    public var filter: Filter<T>?
    /// The sort order of the result.
    ///
    /// Objects that compare equal are in insertion order. Without a sort order, all objects are in insertion order.
    ///
    /// Strings sort by their Unicode scalar values on every platform. The comparators of the sort descriptors are ignored.
    public var sortedBy: [SortDescriptor<T>]
    /// The maximum number of objects to return, or `nil` to return all objects.
    public var limit: Int?
    /// The number of matching objects to skip.
    public var offset: Int
    /// The relationships to fetch together with the objects.
    public var prefetch: [PartialKeyPath<T>]
    /// The source location of the request, for the warning about repeated queries.
    let site: CallSite?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - filter: The condition that objects must meet, or `nil` to match all objects.
    ///   - sortedBy: The sort order. By default the objects are in insertion order.
    ///   - limit: The maximum number of objects to return.
    ///   - offset: The number of matching objects to skip.
    ///   - prefetch: The relationships to fetch together with the objects.
    ///   - file: The source file of the call, for the warning about repeated queries.
    ///   - line: The source line of the call.
    public init(
        _ filter: Filter<T>? = nil,
        sortedBy: [SortDescriptor<T>] = [],
        limit: Int? = nil,
        offset: Int = 0,
        prefetch: [PartialKeyPath<T>] = [],
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.filter = filter
        self.sortedBy = sortedBy
        self.limit = limit
        self.offset = offset
        self.prefetch = prefetch
        site = CallSite(file: file, line: line)
    }
}
#endif
