#if Objects
internal import GRDB
internal import GRDBSQLite

/// The file header of a database.
///
/// The header is read through SQLite's own file descriptor. If a process closes any descriptor of a file, POSIX releases all locks that the
/// process holds on the file.
struct DatabaseHeader {
    private static let count = 72
    private let bytes: [UInt8]

    /// Reads the header of a connection's database file without acquiring a lock, or returns `nil` if the header can't be read.
    init?(of database: Database) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let result = sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard result == SQLITE_OK, let file, let read = file.pointee.pMethods?.pointee.xRead else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.count)
        let isRead = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, Int32(Self.count), 0) == SQLITE_OK }
        guard isRead else { return nil }
        self.bytes = bytes
    }

    /// Whether the file is a LarderObjects database with a write-ahead log.
    var isObjectStorage: Bool {
        let application = withUnsafeBytes(of: UInt32(StoredSchema.applicationID).bigEndian) { Array($0) }
        return bytes[18...19] == [2, 2] && Array(bytes[68...]) == application
    }
}
#endif
