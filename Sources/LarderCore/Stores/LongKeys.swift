/// The bytes of keys that are too long for a record, one behind the other, in pieces that don't move once they are full.
struct LongKeys: Sendable {
    private static let pieceSize = 8 << 10

    private var full: [[UInt8]] = []
    private var last: [UInt8] = []

    /// Adds a key, and says in which piece it lies, and where.
    mutating func append(_ key: StoreKey) -> (piece: Int, offset: Int) {
        key.withBytes { bytes in
            if last.count + bytes.count > Self.pieceSize, !last.isEmpty { beginPiece() }
            let place = (full.count, last.count)
            last.append(contentsOf: bytes)
            return place
        }
    }

    @inline(never)
    private mutating func beginPiece() {
        full.append(last)
        last = []
        last.reserveCapacity(Self.pieceSize)
    }

    /// Hands the bytes of a key to `body`.
    @inline(__always)
    func withBytes<Result>(
        of place: (piece: Int, offset: Int),
        count: Int,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let range = place.offset..<place.offset + count
        if place.piece < full.count {
            return full[place.piece].withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
        }
        return last.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
}
