import LarderFiles

/// Logs with valid checksums and arbitrary content, created without the code under test.
package enum HandmadeLog {
    private static let identifier = (0..<16).map { UInt8($0) }

    /// Returns a header of generation 1 that marks nothing as synced.
    ///
    /// - Parameter changes: Bytes to combine by exclusive or with the header after the magic, before the checksums are computed.
    /// - Returns: The first 4,096 bytes of a log.
    package static func header(changedBy changes: some Collection<UInt8> = []) -> [UInt8] {
        var slot = [UInt8](repeating: 0, count: 512)
        slot.replaceSubrange(0..<10, with: [0x4C, 0x41, 0x52, 0x44, 0x45, 0x52, 0x1A, 0x0A, 1, 0])
        slot.replaceSubrange(24..<40, with: identifier)
        slot[40] = 1
        slot[57] = 0x10
        slot[65] = 0x10
        for (index, change) in changes.prefix(508 - 8).enumerated() { slot[8 + index] ^= change }
        var file = [UInt8](repeating: 0, count: 4096)
        for (offset, number) in [(0, UInt8(2)), (2048, 1)] {
            slot[48] ^= number
            let check = slot[..<508].withUnsafeBytes { CRC32C.of($0) }
            withUnsafeBytes(of: check.littleEndian) { slot.replaceSubrange(508..<512, with: $0) }
            file.replaceSubrange(offset..<offset + 512, with: slot)
            slot[48] ^= number
        }
        return file
    }

    /// Returns one frame for each commit, in order; a commit is given by the bytes of its entries.
    package static func frames(_ commits: [[UInt8]]) -> [UInt8] {
        let seed = (identifier + [1, 0, 0, 0, 0, 0, 0, 0]).withUnsafeBytes { CRC32C.of($0) }
        var file: [UInt8] = []
        for (index, entries) in commits.enumerated() {
            var frame = [UInt8](repeating: 0, count: 16) + entries
            withUnsafeBytes(of: UInt32(frame.count).littleEndian) { frame.replaceSubrange(4..<8, with: $0) }
            withUnsafeBytes(of: UInt32(index + 1).littleEndian) { frame.replaceSubrange(8..<12, with: $0) }
            frame += [UInt8](repeating: 0, count: (8 - frame.count % 8) % 8)
            let check = frame.dropFirst(4).withUnsafeBytes { CRC32C.of($0, continuing: seed) }
            withUnsafeBytes(of: check.littleEndian) { frame.replaceSubrange(0..<4, with: $0) }
            file += frame
        }
        return file
    }
}
