#if Objects
/// A small block of memory with rows as they were read, one after another.
///
/// Every object holds the page that its row is in, so a page lives as long as the last of its objects: that is why it is small.
final class RowPage {
    /// How many bytes a page of several rows takes at most.
    static let size = 8_192

    /// Whether places in a row take eight bytes, because its texts are long, instead of two.
    let isWide: Bool
    /// The objects of the rows that were read together with these.
    let group: FetchGroup?
    private(set) var start: UnsafeMutableRawPointer

    init(capacity: Int, isWide: Bool, group: FetchGroup?) {
        self.isWide = isWide
        self.group = group
        start = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { start.deallocate() }

    /// Gives back what is behind the first `count` bytes.
    func trim(to count: Int) {
        let smaller = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 8)
        smaller.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = smaller
    }
}

/// Where a row is: a page, and the first byte in it.
struct RowPlace {
    let page: RowPage
    let offset: UInt32

    var row: PackedRow { PackedRow(start: UnsafeRawPointer(page.start) + Int(offset), isWide: page.isWide) }
}

/// Objects that came from one fetch: the first of them whose relationship is asked for reads it for all.
final class FetchGroup {
    /// The ids as long as all are small, which they nearly always are.
    private var small: [UInt32] = []
    private var large: [Int64] = []
    /// Whether each object's relationships are read alone, because reading them together met damage.
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

    /// At most `count` ids from a given one on.
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
