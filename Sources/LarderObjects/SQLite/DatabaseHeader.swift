#if Objects
internal import GRDB
internal import GRDBSQLite

/// The first bytes of a database file.
///
/// They are read through the descriptor that SQLite has open. POSIX releases every lock of this process on a file when the process
/// closes any descriptor of that file, so nothing but SQLite opens a database, not even for reading.
struct DatabaseHeader {
    private static let count = 72
    private let bytes: [UInt8]

    /// Reads the header; takes no lock, and changes nothing.
    ///
    /// - Returns: `nil` if the file is shorter than a header, or can't be read.
    init?(of database: Database) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let result = sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard result == SQLITE_OK, let file, let read = file.pointee.pMethods?.pointee.xRead else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.count)
        let isRead = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, Int32(Self.count), 0) == SQLITE_OK }
        guard isRead else { return nil }
        self.bytes = bytes
    }

    /// Whether the file is a database of object storage with a write-ahead log.
    var isObjectStorage: Bool {
        let application = withUnsafeBytes(of: UInt32(StoredSchema.applicationID).bigEndian) { Array($0) }
        return bytes[18...19] == [2, 2] && Array(bytes[68...]) == application
    }
}
#endif
