import Foundation

/// A file with sequential writes of 48 bytes to space that was written before, which shows the limit of the system.
final class RawFile {
    private let descriptor: Int32
    private var offset = 0
    private var record = [UInt8](repeating: 0x5A, count: 48)
    private static let size = 16 << 20

    init(_ path: String) throws {
        descriptor = open(path, O_CREAT | O_RDWR, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        // One page is written at a time, because the page cache may keep a larger write as one large folio, which makes small writes slow.
        let zeros = [UInt8](repeating: 0, count: 4096)
        for offset in stride(from: 0, to: Self.size, by: zeros.count) {
            guard pwrite(descriptor, zeros, zeros.count, off_t(offset)) == zeros.count else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
        guard fsync(descriptor) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { close(descriptor) }

    /// Writes a record of 48 bytes with one `pwrite`.
    func write(_ number: Int) throws {
        record[0] = UInt8(truncatingIfNeeded: number)
        guard pwrite(descriptor, record, record.count, offset) == record.count else {
            throw CocoaError(.fileWriteUnknown)
        }
        offset = (offset + record.count) % (Self.size - record.count)
    }

    /// Syncs the file with one `fdatasync`, or `F_FULLFSYNC` on Apple platforms.
    func sync() throws {
        #if canImport(Darwin)
        let result = fcntl(descriptor, F_FULLFSYNC)
        #else
        let result = fdatasync(descriptor)
        #endif
        guard result == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
