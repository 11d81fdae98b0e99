#if Objects
/// A small block of memory that contains packed rows.
///
/// Every object retains the page that contains its row. Pages are small because one object keeps an entire page in memory.
final class RowPage {
    /// The maximum size in bytes of a page that contains several rows.
    static let size = 8_192

    /// Whether the page contains a single long row, whose offset table has 8-byte instead of 2-byte entries.
    let isWide: Bool
    /// The fetch group of the rows in this page, if any.
    let group: FetchGroup?
    private(set) var start: UnsafeMutableRawPointer

    init(capacity: Int, isWide: Bool, group: FetchGroup?) {
        self.isWide = isWide
        self.group = group
        start = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { start.deallocate() }

    /// Frees the memory that follows the first `count` bytes.
    func trim(to count: Int) {
        let smaller = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 8)
        smaller.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = smaller
    }
}

/// The location of a packed row, which consists of a page and a byte offset.
struct RowPlace {
    let page: RowPage
    let offset: UInt32

    var row: PackedRow { PackedRow(start: UnsafeRawPointer(page.start) + Int(offset), isWide: page.isWide) }
}

/// A group of objects that were fetched together and whose relationships are read together.
final class FetchGroup {
    /// The ids of the objects, if all ids fit in 32 bits.
    private var small: [UInt32] = []
    private var large: [Int64] = []
    /// Whether relationships are read one object at a time, because a read for the whole group found corrupt data.
    var readsSingly = false

    init() {}

    func append(_ id: Int64) {
        if large.isEmpty, let id = UInt32(exactly: id) { return small.append(id) }
        if large.isEmpty {
            large = small.map(Int64.init)
            small = []
        }
        large.append(id)
    }

    /// Returns up to `count` consecutive ids of the group, starting with `id`.
    func ids(from id: Int64, count: Int) -> [Int64] {
        if large.isEmpty {
            guard let id = UInt32(exactly: id), let place = small.firstIndex(of: id) else { return [] }
            return small[place...].prefix(count).map(Int64.init)
        }
        guard let place = large.firstIndex(of: id) else { return [] }
        return Array(large[place...].prefix(count))
    }
}
#endif
