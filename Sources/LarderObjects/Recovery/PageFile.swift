#if Objects
/// The pages of a possibly corrupt database as of the last commit.
struct PageFile {
    private static let magic = Array("SQLite format 3\0".utf8)
    /// The maximum number of pages to sample when guessing the page size.
    private static let samples = 256

    let pageSize: Int
    /// The page size minus the reserved space at the end of each page, in bytes.
    let usableSize: Int
    /// The number of pages, which is also the last page number.
    let count: Int
    /// The first 100 bytes of page 1, or `nil` if the bytes are not a valid SQLite header.
    let header: [UInt8]?

    private let database: FileBytes
    private let log: (bytes: FileBytes, content: WriteAheadLog)?

    static func isPageSize(_ size: Int) -> Bool { 512...65_536 ~= size && size & (size - 1) == 0 }

    /// Locates the pages of a database file and its write-ahead log, or returns `nil` if the page size can't be determined.
    init?(_ database: FileBytes, log bytes: FileBytes? = nil) {
        self.database = database
        let content = bytes.flatMap { WriteAheadLog($0) }
        let first =
            content.flatMap { log in log.offsets[1].flatMap { bytes?.read(at: $0, count: 100) } }
            ?? database.read(at: 0, count: 100)
        header = first.flatMap { Self.isHeader($0) ? $0 : nil }
        let size = header.map { Self.pageSize($0) } ?? content?.pageSize ?? Self.guessedPageSize(database)
        guard let size else { return nil }
        pageSize = size
        usableSize = size - (header.map { Int($0[20]) } ?? 0)
        let pages = database.count / size
        if let bytes, let content, content.pageSize == size {
            log = (bytes, content)
            count = min(content.databaseSize, max(pages, content.offsets.keys.max() ?? 0))
        } else {
            log = nil
            count = pages
        }
    }

    /// Returns the bytes of a page, or `nil` if the page does not exist or can't be read.
    func page(_ number: Int) -> [UInt8]? {
        guard 1...max(count, 1) ~= number else { return nil }
        if let log, let offset = log.content.offsets[number] { return log.bytes.read(at: offset, count: pageSize) }
        return database.read(at: (number - 1) * pageSize, count: pageSize)
    }

    /// Returns whether the bytes of a page are a valid page of a table's or an index's b-tree.
    func isTreePage(_ bytes: [UInt8], number: Int) -> Bool {
        IndexPage(bytes, usableSize: usableSize) != nil
            || BTreePage(bytes, number: number, usableSize: usableSize) != nil
    }

    /// The maximum number of rows that the database can contain, or `Int.max` if the header with the database size is lost.
    var capacity: Int { header.map { max(count, $0.uint32(at: 28)) * rowsOfPage } ?? .max }

    /// The maximum number of rows in a leaf page.
    ///
    /// Each row has a pointer of 2 bytes and a cell of at least 4 bytes.
    var rowsOfPage: Int { (usableSize - 8) / 6 }

    private static func isHeader(_ bytes: [UInt8]) -> Bool {
        Array(bytes[..<16]) == magic && isPageSize(pageSize(bytes)) && pageSize(bytes) - Int(bytes[20]) >= 480
    }

    private static func pageSize(_ header: [UInt8]) -> Int {
        let size = header.uint16(at: 16)
        return size == 1 ? 65_536 : size
    }

    /// Returns the page size that yields the most valid table pages, or `nil` if none does.
    private static func guessedPageSize(_ database: FileBytes) -> Int? {
        var best: (size: Int, hits: Int)?
        for shift in 9...16 {
            let size = 1 << shift
            let hits = (1...samples).count { number in
                guard let bytes = database.read(at: (number - 1) * size, count: size) else { return false }
                return BTreePage(bytes, number: number, usableSize: size) != nil
            }
            if hits > best?.hits ?? 0 { best = (size, hits) }
        }
        return best?.size
    }
}
#endif
