import CChecksumPeer
import Foundation

/// A file of consecutive encoded values with their CRC-32C checksums, which shows the minimum cost of reading or writing a value.
final class ValueFile {
    private let descriptor: Int32
    private let values: [[UInt8]]
    private let size: Int
    private var positions: [Int] = []
    private var checksums: [UInt32] = []
    private var end = 0
    private let buffer: UnsafeMutableRawBufferPointer

    /// Writes `values` to a new file.
    init(_ path: String, _ values: [[UInt8]]) throws {
        descriptor = open(path, O_CREAT | O_RDWR, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        self.values = values
        size = values.reduce(0) { $0 + $1.count }
        buffer = .allocate(byteCount: values.map(\.count).max() ?? 0, alignment: 8)
        for _ in values {
            positions.append(end)
            checksums.append(0)
            try write(positions.count - 1)
        }
    }

    deinit {
        close(descriptor)
        buffer.deallocate()
    }

    /// Reads a value with one `pread` into a reused buffer, verifies its checksum and passes its bytes to `body`.
    func read<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        let count = values[index].count
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        guard
            pread(descriptor, buffer.baseAddress, count, off_t(positions[index])) == count,
            larder_crc32c(0, bytes.baseAddress, count) == checksums[index]
        else { throw CocoaError(.fileReadCorruptFile) }
        return try body(bytes)
    }

    /// Computes a value's checksum and writes the value with one `pwrite`, after the last written value.
    func write(_ index: Int) throws { try write(values[index], index) }

    /// Writes other bytes of the same length in place of a value, in the same way as ``write(_:)``.
    func write(_ bytes: [UInt8], _ index: Int) throws {
        checksums[index] = larder_crc32c(0, bytes, bytes.count)
        guard pwrite(descriptor, bytes, bytes.count, off_t(end)) == bytes.count else {
            throw CocoaError(.fileWriteUnknown)
        }
        end += bytes.count
    }

    /// Truncates the file after the initial values and reserves space for `count` bytes, so that the next writes use this space.
    func reserve(_ count: Int) throws {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw CocoaError(.fileWriteUnknown) }
        end = size
        #if canImport(Darwin)
        guard ftruncate(descriptor, off_t(size + count)) == 0 else { throw CocoaError(.fileWriteUnknown) }
        #else
        guard posix_fallocate(descriptor, off_t(size), off_t(count)) == 0 else { throw CocoaError(.fileWriteUnknown) }
        #endif
    }

    /// Makes the next writes overwrite the bytes that were written after the initial values.
    func rewind() { end = size }
}
