#if Objects
import Foundation
import GRDB

/// The content of a library file: its schema and all rows.
struct LibraryState: Equatable {
    let content: DatabaseContent
    let statements: Set<String>

    /// Reads a copy of a file and its log, so that the file itself is not changed.
    ///
    /// - Parameters:
    ///   - url: A file that no process has open.
    ///   - folder: The folder for the copy.
    /// - Throws: An error if the copy can't be made or read.
    init(of url: URL, copiedInto folder: URL) throws {
        let files = FileManager.default
        let copy = folder.appendingPathComponent("copy.sqlite")
        defer { for suffix in ["", "-wal", "-shm"] { try? files.removeItem(atPath: copy.path + suffix) } }
        for suffix in ["", "-wal"] where files.fileExists(atPath: url.path + suffix) {
            try files.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
        }
        let queue = try DatabaseQueue(path: copy.path)
        (content, statements) = try queue.inDatabase { database in
            (try PairFile.read(database), Set(try PairFile.statements(database)))
        }
        try queue.close()
    }
}
#endif
