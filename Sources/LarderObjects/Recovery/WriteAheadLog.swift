#if Objects
/// The committed pages of a write-ahead log.
///
/// As in SQLite, the log ends before the first frame with a wrong salt or checksum, and frames after the last commit are ignored.
struct WriteAheadLog {
    private static let headerSize = 32
    private static let frameHeaderSize = 24

    let pageSize: Int
    /// The size of the database after the last commit, in pages.
    private(set) var databaseSize = 0
    /// The file offset of each page's newest content in the log, keyed by page number.
    private(set) var offsets: [Int: Int] = [:]

    /// Reads a log, or returns `nil` if the log has no valid header or no commit.
    init?(_ log: FileBytes) {
        guard let header = log.read(at: 0, count: Self.headerSize) else { return nil }
        let magic = header.uint32(at: 0)
        guard magic & ~1 == 0x377F_0682 else { return nil }
        var checksum = Checksum(isBigEndian: magic & 1 == 1)
        checksum.add(header[..<24])
        pageSize = header.uint32(at: 8)
        guard PageFile.isPageSize(pageSize), checksum.matches(header, at: 24) else { return nil }

        var pending: [Int: Int] = [:]
        var offset = Self.headerSize
        while let frame = log.read(at: offset, count: Self.frameHeaderSize + pageSize) {
            checksum.add(frame[..<8])
            checksum.add(frame[Self.frameHeaderSize...])
            guard frame[8..<16] == header[16..<24], checksum.matches(frame, at: 16) else { break }
            pending[frame.uint32(at: 0)] = offset + Self.frameHeaderSize
            let size = frame.uint32(at: 4)
            if size > 0 {
                databaseSize = size
                offsets.merge(pending) { $1 }
                pending.removeAll(keepingCapacity: true)
            }
            offset += Self.frameHeaderSize + pageSize
        }
        guard databaseSize > 0 else { return nil }
    }

    /// The running checksum of a SQLite write-ahead log.
    private struct Checksum {
        let isBigEndian: Bool
        var first: UInt32 = 0
        var second: UInt32 = 0

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        /// Adds bytes to the checksum.
        ///
        /// The number of bytes must be a multiple of 8.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                    first = first &+ word(bytes, offset) &+ second
                    second = second &+ word(bytes, offset + 4) &+ first
                }
            }
        }

        private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }

        func matches(_ bytes: [UInt8], at offset: Int) -> Bool {
            bytes.uint32(at: offset) == Int(first) && bytes.uint32(at: offset + 4) == Int(second)
        }
    }
}
#endif
