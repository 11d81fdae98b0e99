extension StoreBatch {
    /// What a batch writes, in the order it was added.
    ///
    /// They lie in pieces of some kilobytes each: a batch that grows moves none of them, and touches no more memory than they take.
    public struct Writes: Sendable, RandomAccessCollection {
        /// How many writes a piece has, as a power of two.
        @usableFromInline static let shift = 8

        /// The pieces that are full.
        @usableFromInline var full: [[Write]] = []
        /// The one that is not.
        @usableFromInline var last: [Write] = []

        /// Always zero.
        public var startIndex: Int { 0 }
        /// How many writes there are.
        public var endIndex: Int { full.count << Self.shift + last.count }

        /// One write.
        ///
        /// - Parameter position: Its place in the order they were added.
        @inlinable
        public subscript(position: Int) -> Write {
            let (piece, place) = (position >> Self.shift, position & (1 << Self.shift - 1))
            return piece < full.count ? full[piece][place] : last[place]
        }

        /// The value of one write: its key, which may lie anywhere in memory, is not touched.
        @inlinable @inline(__always)
        package func value(at position: Int) -> StoredValue? {
            let (piece, place) = (position >> Self.shift, position & (1 << Self.shift - 1))
            return piece < full.count ? full[piece][place].value : last[place].value
        }

        @inline(__always)
        mutating func append(_ write: consuming Write) {
            if last.count == 1 << Self.shift { beginPiece() }
            last.append(write)
        }

        @inline(never)
        private mutating func beginPiece() {
            full.append(last)
            last = []
            last.reserveCapacity(1 << Self.shift)
        }

        mutating func reserveCapacity(_ count: Int) {
            full.reserveCapacity(count >> Self.shift)
            if full.isEmpty { last.reserveCapacity(Swift.min(count, 1 << Self.shift)) }
        }

        /// Hands every write to `body` where it lies, with its place in the order, so that its references need not be counted.
        ///
        /// - Parameter body: Returns whether it wants to see more.
        @inlinable @inline(__always)
        package func forEachInPlace(_ body: (Int, UnsafePointer<Write>) throws -> Bool) rethrows {
            for piece in 0...full.count {
                let isDone = try (piece < full.count ? full[piece] : last).withUnsafeBufferPointer { writes in
                    guard var write = writes.baseAddress else { return true }
                    let first = piece << Self.shift
                    for place in first..<first + writes.count {
                        if try !body(place, write) { return true }
                        write += 1
                    }
                    return false
                }
                if isDone { return }
            }
        }
    }
}
