#if Objects
public import Foundation

/// Which objects to fetch, in what order.
public struct ObjectRequest<T: Object> {
    /// Which objects; all without one.
    public var filter: Filter<T>?
    /// Their order; objects that compare equal, and all without any, come in the order they were inserted.
    ///
    /// Texts sort by the value of their Unicode scalars on every platform, whatever the comparator of the descriptor.
    public var sortedBy: [SortDescriptor<T>]
    /// How many at most.
    public var limit: Int?
    /// How many of the first to leave out.
    public var offset: Int
    /// Relationships to read for all objects at once.
    public var prefetch: [PartialKeyPath<T>]
    /// Who asks, for the warning about repeated queries.
    let site: CallSite?

    /// A request.
    ///
    /// - Parameters:
    ///   - filter: Which objects; all without one.
    ///   - sortedBy: Their order.
    ///   - limit: How many at most.
    ///   - offset: How many of the first to leave out.
    ///   - prefetch: Relationships to read for all objects at once.
    ///   - file: The file of the call, which the warning about repeated queries names.
    ///   - line: The line of the call.
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
