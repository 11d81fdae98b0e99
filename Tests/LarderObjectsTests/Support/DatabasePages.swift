#if Objects
import Foundation
import GRDB

/// The pages of a closed database file, for tests that damage pages.
struct DatabasePages {
    let url: URL
    private let size = 4_096

    /// Returns the number of a table's root page.
    func root(of table: String) throws -> Int {
        let queue = try DatabaseQueue(path: url.path)
        let page = try queue.read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [table])
        }
        try queue.close()
        guard let page else { throw CocoaError(.fileReadCorruptFile) }
        return page
    }

    /// Returns the numbers of a table's leaf pages.
    ///
    /// The table must have more than one page.
    func leaves(of table: String) throws -> [Int] {
        let start = (try root(of: table) - 1) * size
        let content = try Data(contentsOf: url)
        func number(_ offset: Int, _ count: Int) -> Int {
            content[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
        }
        guard content[start] == 5 else { throw CocoaError(.fileReadCorruptFile) }
        let cells = (0..<number(start + 3, 2)).map { number(start + 12 + 2 * $0, 2) }
        return cells.map { number(start + $0, 4) }
    }

    /// Overwrites pages, so that SQLite can't read them.
    func damage(_ pages: [Int]) throws {
        var content = try Data(contentsOf: url)
        for page in pages {
            for offset in (page - 1) * size..<(page - 1) * size + 200 { content[offset] ^= 0xFF }
        }
        try content.write(to: url)
    }
}
#endif
