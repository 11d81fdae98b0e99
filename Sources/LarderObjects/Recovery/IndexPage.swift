#if Objects
/// A structurally valid page of an index's b-tree, which passes the same checks as a ``BTreePage``.
struct IndexPage {
    struct Entry {
        /// The number of the page with the preceding entries, or `nil` on a leaf page.
        let child: Int?
        /// The index record, which contains the indexed values and the row id.
        let record: BTreePage.Cell
    }

    private static let leafType: UInt8 = 10
    private static let interiorType: UInt8 = 2

    let entries: [Entry]
    /// The number of the page with the entries after the last entry, or `nil` on a leaf page.
    let last: Int?

    /// Parses a page, or returns `nil` if the bytes are not a valid page of an index's b-tree.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the page.
    ///   - usableSize: The page size minus the reserved space at the end of each page, in bytes.
    init?(_ bytes: [UInt8], usableSize: Int) {
        let isLeaf = bytes[0] == Self.leafType
        guard isLeaf || bytes[0] == Self.interiorType else { return nil }
        let (count, content) = (bytes.uint16(at: 3), bytes.uint16(at: 5))
        var layout = PageLayout(start: content == 0 ? 65_536 : content, end: usableSize, fragments: Int(bytes[7]))
        let pointers = isLeaf ? 8 : 12
        guard pointers + 2 * count <= layout.start, layout.start <= usableSize,
            layout.addFreeBlocks(bytes, first: bytes.uint16(at: 1))
        else { return nil }
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        for index in 0..<count {
            let offset = bytes.uint16(at: pointers + 2 * index)
            guard offset >= layout.start, offset <= usableSize - 4,
                let size = bytes.varint(at: isLeaf ? offset : offset + 4, before: usableSize),
                let record = BTreePage.Cell(
                    key: 0,
                    size: size.value,
                    at: size.next,
                    in: bytes,
                    usableSize: usableSize,
                    maximum: (usableSize - 12) * 64 / 255 - 23
                )
            else { return nil }
            entries.append(Entry(child: isLeaf ? nil : bytes.uint32(at: offset), record: record))
            let end = record.local.upperBound + (record.overflow == nil ? 0 : 4)
            layout.add(offset, size: max(end - offset, 4))
        }
        guard layout.addsUp else { return nil }
        self.entries = entries
        last = isLeaf ? nil : bytes.uint32(at: 8)
    }
}
#endif
