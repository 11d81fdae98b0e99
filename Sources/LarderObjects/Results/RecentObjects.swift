#if Objects
/// The objects that a controller has read last.
///
/// The context may release an object that it alone references. It keeps these, so that scrolling back and forth reads them once.
struct RecentObjects<T: Object> {
    /// The maximum number of objects that a controller reads to return one.
    static var page: Int { 50 }
    /// The number of pages to keep.
    private static var limit: Int { 4 }

    /// The objects by their row ids, in the order in which the pages were read.
    private var pages: [[Int64: T]] = []

    /// Returns whether an object was read with one of the kept pages.
    func contains(_ row: Int64) -> Bool { pages.contains { $0[row] != nil } }

    /// Keeps the objects of a read, and releases those of the oldest one.
    ///
    /// Of a read of many objects, only the last ones are kept.
    mutating func keep(_ objects: [T]) {
        guard !objects.isEmpty else { return }
        let last = objects.suffix(Self.limit * Self.page)
        pages.append(Dictionary(last.map { ($0.objectID.rowID, $0) }, uniquingKeysWith: { $1 }))
        while pages.count > 1, pages.count > Self.limit || pages.reduce(0, { $0 + $1.count }) > Self.limit * Self.page {
            pages.removeFirst()
        }
    }

    mutating func removeAll() { pages = [] }
}
#endif
