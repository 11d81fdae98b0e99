import Foundation

/// The limit that the system sets: writes of 48 bytes, one behind the other, into room that was reserved and written before.
final class RawFile {
    private let descriptor: Int32
    private var offset = 0
    private var record = [UInt8](repeating: 0x5A, count: 48)
    private static let size = 16 << 20

    init(_ path: String) throws {
        descriptor = open(path, O_CREAT | O_RDWR, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        // A page at a time: what is written at once the system may keep as one large piece, which makes small writes slow.
        let zeros = [UInt8](repeating: 0, count: 4096)
        for offset in stride(from: 0, to: Self.size, by: zeros.count) {
            guard pwrite(descriptor, zeros, zeros.count, off_t(offset)) == zeros.count else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
        guard fsync(descriptor) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { close(descriptor) }

    /// One `pwrite`.
    func write(_ number: Int) throws {
        record[0] = UInt8(truncatingIfNeeded: number)
        guard pwrite(descriptor, record, record.count, offset) == record.count else {
            throw CocoaError(.fileWriteUnknown)
        }
        offset = (offset + record.count) % (Self.size - record.count)
    }

    /// One `fdatasync`.
    func sync() throws {
        #if canImport(Darwin)
        let result = fcntl(descriptor, F_FULLFSYNC)
        #else
        let result = fdatasync(descriptor)
        #endif
        guard result == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
