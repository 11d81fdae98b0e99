extension StoreBatch {
    /// What a batch writes, in the order it was added.
    ///
    /// They lie in pieces of some kilobytes each: a batch that grows moves no more than the first of them, and touches
    /// little more memory than they take.
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
            let piece = position >> Self.shift
            return piece < full.count
                ? full[piece][position - piece << Self.shift] : last[position - full.count << Self.shift]
        }

        /// The value of one write: its key, which may lie anywhere in memory, is not touched.
        @inlinable @inline(__always)
        package func value(at position: Int) -> StoredValue? {
            let piece = position >> Self.shift
            return piece < full.count
                ? full[piece][position - piece << Self.shift].value : last[position - full.count << Self.shift].value
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

        /// Hands every write to `body` where it lies, so that its references need not be counted; with its place in the order, and how many
        /// lie side by side from it on.
        ///
        /// - Parameter body: Returns whether it wants to see more.
        @inlinable @inline(__always)
        package func forEachInPlace(
            _ body: (_ place: Int, UnsafePointer<Write>, _ count: Int) throws -> Bool
        ) rethrows {
            for piece in 0...full.count {
                let isDone = try (piece < full.count ? full[piece] : last).withUnsafeBufferPointer { writes in
                    guard var write = writes.baseAddress else { return true }
                    let first = piece << Self.shift
                    for place in 0..<writes.count {
                        if try !body(first + place, write, writes.count - place) { return true }
                        write += 1
                    }
                    return false
                }
                if isDone { return }
            }
        }
    }
}
