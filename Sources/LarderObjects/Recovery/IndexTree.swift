#if Objects
internal import LarderCore

/// The readable entries of an index b-tree, which may be corrupt.
struct IndexTree {
    struct Entry {
        let id: Int64
        /// The hash of the indexed values.
        let digest: Int
    }

    /// The entries on all readable pages, sorted by id.
    private(set) var entries: [Entry] = []
    /// Whether every page can be read and the structure of the tree is valid.
    private(set) var isWhole = true
    /// Whether the tree contains an intact page that does not belong there.
    private(set) var hasReplacedPages = false
    /// The numbers of all pages of the tree, including overflow pages.
    private(set) var pages: Set<Int> = []

    private let file: PageFile
    private let reader: RecordReader
    /// An array that indicates which indexed columns have type REAL, or `nil` to read only the page numbers.
    private let isReal: [Bool]?
    private var previous: [ColumnValue] = []
    private var leafDepth: Int?

    /// Traverses an index from its root page.
    ///
    /// - Parameters:
    ///   - root: The number of the root page.
    ///   - isReal: An array that indicates which indexed columns have type REAL, or `nil` to read only the page numbers.
    ///   - file: The pages of the database.
    init(root: Int, isReal: [Bool]?, _ file: PageFile) {
        self.file = file
        self.isReal = isReal
        reader = RecordReader(file: file)
        visit(root, depth: 0)
        previous = []
        entries.sort { $0.id < $1.id }
        if zip(entries, entries.dropFirst()).contains(where: { $0.id == $1.id }) { refute() }
    }

    /// Returns the index entries that refer to the object with the given id.
    ///
    /// An intact index has at most one entry for each object.
    func entries(of id: Int64) -> ArraySlice<Entry> {
        entries[entries.partitioningIndex { $0.id >= id }...].prefix { $0.id == id }
    }

    /// Returns a hash of indexed values.
    static func digest(_ values: some Sequence<ColumnValue>) -> Int {
        var hasher = Hasher()
        for value in values {
            // SQLite does not store negative zeros.
            if case .real(0) = value { hasher.combine(ColumnValue.real(0)) } else { hasher.combine(value) }
        }
        return hasher.finalize()
    }

    private mutating func refute() { (isWhole, hasReplacedPages) = (false, true) }

    private mutating func visit(_ number: Int, depth: Int) {
        guard depth < TableTree.maximumDepth, let bytes = file.page(number) else { return isWhole = false }
        // Only the root of an empty index has no entries.
        guard let page = IndexPage(bytes, usableSize: file.usableSize), depth == 0 || !page.entries.isEmpty else {
            isWhole = false
            if file.isTreePage(bytes, number: number) { hasReplacedPages = true }
            return
        }
        guard pages.insert(number).inserted else { return refute() }
        if page.last == nil {
            if leafDepth ?? depth != depth { refute() }
            leafDepth = depth
        }
        for entry in page.entries {
            if let child = entry.child { visit(child, depth: depth + 1) }
            add(entry.record, bytes)
        }
        if let last = page.last { visit(last, depth: depth + 1) }
    }

    private mutating func add(_ record: BTreePage.Cell, _ bytes: [UInt8]) {
        pages.formUnion(reader.overflowPages(of: record))
        guard let isReal else { return }
        guard case .values(var values) = reader.read(record, in: bytes) else { return isWhole = false }
        guard values.count == isReal.count + 1, let id = values.last?.integerValue else { return refute() }
        // A record may store an integral number as an integer, regardless of the column's type.
        for (place, isReal) in isReal.enumerated() where isReal {
            if let integer = values[place].integerValue { values[place] = .real(Double(integer)) }
        }
        if !previous.isEmpty, !Self.precedes(previous, values) { refute() }
        entries.append(Entry(id: id, digest: Self.digest(values.dropLast())))
        previous = values
    }

    /// Returns whether SQLite sorts the values of `first` before the values of `second`.
    private static func precedes(_ first: [ColumnValue], _ second: [ColumnValue]) -> Bool {
        for (a, b) in zip(first, second) {
            if case .text(let a) = a, case .text(let b) = b {
                // SQLite compares the bytes, which need not be in NFC.
                if a.utf8.elementsEqual(b.utf8) { continue }
                return a.utf8.lexicographicallyPrecedes(b.utf8)
            }
            if a < b { return true }
            if b < a { return false }
        }
        return false
    }
}
#endif
