#if Objects
/// A structurally valid page of a table's b-tree.
///
/// As in SQLite's integrity check, cells and free blocks must not overlap, all other bytes must be fragments, and the keys must ascend.
enum BTreePage {
    /// A leaf page, which contains rows.
    case leaf([Cell])
    /// An interior page, which contains child page numbers and the largest key allowed in each child except the last.
    case interior([(child: Int, key: Int64)], last: Int)

    /// A row in a leaf page, or an entry of an index.
    struct Cell {
        /// The row id, or 0 for an index entry.
        let key: Int64
        /// The size of the record in bytes.
        let payloadSize: Int
        /// The byte range in the page that contains the beginning of the record.
        ///
        /// If the record is too large for the page, overflow pages contain the remaining bytes.
        let local: Range<Int>
        /// The number of the first overflow page, or `nil` if the page contains the entire record.
        let overflow: Int?
    }

    /// The page type in the header of a table's leaf page.
    static let leafType: UInt8 = 13
    private static let interiorType: UInt8 = 5

    /// Parses a page, or returns `nil` if the bytes are not a valid page of a table's b-tree.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the page.
    ///   - number: The page number. Page 1 begins with the file header.
    ///   - usableSize: The page size minus the reserved space at the end of each page, in bytes.
    init?(_ bytes: [UInt8], number: Int, usableSize: Int) {
        let start = number == 1 ? 100 : 0
        let type = bytes[start]
        guard type == Self.leafType || type == Self.interiorType else { return nil }
        let cellCount = bytes.uint16(at: start + 3)
        let content = bytes.uint16(at: start + 5)
        var layout = PageLayout(
            start: content == 0 ? 65_536 : content,
            end: usableSize,
            fragments: Int(bytes[start + 7])
        )
        let pointers = start + (type == Self.leafType ? 8 : 12)
        guard pointers + 2 * cellCount <= layout.start, layout.start <= usableSize,
            layout.addFreeBlocks(bytes, first: bytes.uint16(at: start + 1))
        else { return nil }
        var cells: [Cell] = []
        var children: [(child: Int, key: Int64)] = []
        var last = Int64.min
        for index in 0..<cellCount {
            let offset = bytes.uint16(at: pointers + 2 * index)
            guard offset >= layout.start, offset <= usableSize - 4 else { return nil }
            let (key, end): (Int64, Int)
            if type == Self.leafType {
                guard let cell = Self.cell(bytes, offset, usableSize) else { return nil }
                (key, end) = (cell.key, cell.local.upperBound + (cell.overflow == nil ? 0 : 4))
                cells.append(cell)
            } else {
                guard let varint = bytes.varint(at: offset + 4, before: usableSize) else { return nil }
                (key, end) = (Int64(bitPattern: varint.value), varint.next)
                children.append((bytes.uint32(at: offset), key))
            }
            guard index == 0 || key > last else { return nil }
            last = key
            layout.add(offset, size: max(end - offset, 4))
        }
        guard layout.addsUp else { return nil }
        self = type == Self.leafType ? .leaf(cells) : .interior(children, last: bytes.uint32(at: start + 8))
    }

    private static func cell(_ bytes: [UInt8], _ offset: Int, _ usableSize: Int) -> Cell? {
        guard let size = bytes.varint(at: offset, before: usableSize),
            let key = bytes.varint(at: size.next, before: usableSize)
        else { return nil }
        return Cell(
            key: Int64(bitPattern: key.value),
            size: size.value,
            at: key.next,
            in: bytes,
            usableSize: usableSize,
            maximum: usableSize - 35
        )
    }
}

extension BTreePage.Cell {
    /// Locates a record in a page, or returns `nil` if the record does not fit.
    ///
    /// - Parameters:
    ///   - key: The row id, or 0 for an index entry.
    ///   - size: The size of the record in bytes.
    ///   - start: The offset of the record in the page.
    ///   - bytes: The bytes of the page.
    ///   - usableSize: The page size minus the reserved space at the end of each page, in bytes.
    ///   - maximum: The maximum number of bytes of a record to store in the page rather than in overflow pages.
    init?(key: Int64, size: UInt64, at start: Int, in bytes: [UInt8], usableSize: Int, maximum: Int) {
        guard size <= UInt64(Int32.max) else { return nil }
        let total = Int(size)
        let local = Self.localSize(total, usableSize, maximum)
        let end = start + local
        guard end + (local < total ? 4 : 0) <= usableSize else { return nil }
        self.key = key
        payloadSize = total
        self.local = start..<end
        overflow = local < total ? bytes.uint32(at: end) : nil
    }

    /// Returns the number of bytes of a record that are stored in the page rather than in overflow pages.
    private static func localSize(_ total: Int, _ usableSize: Int, _ maximum: Int) -> Int {
        guard total > maximum else { return total }
        let minimum = (usableSize - 12) * 32 / 255 - 23
        let local = minimum + (total - minimum) % (usableSize - 4)
        return local <= maximum ? local : minimum
    }
}
#endif
