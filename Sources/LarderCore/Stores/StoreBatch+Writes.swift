extension StoreBatch {
    /// A collection of the writes in a batch, in insertion order.
    public struct Writes: Sendable, RandomAccessCollection {
        private var pieces = Pieces<Write>()

        init() {}

        /// The position of the first write, which is always zero.
        public var startIndex: Int { 0 }
        /// The number of writes.
        public var endIndex: Int { pieces.count }

        /// Returns the write at a position.
        ///
        /// - Parameter position: The position in insertion order.
        public subscript(position: Int) -> Write { pieces[position] }

        // Not `@inlinable`, to keep client code small.
        @usableFromInline
        mutating func append(_ write: consuming Write) { pieces.append(write) }

        mutating func reserveCapacity(_ count: Int) { pieces.reserveCapacity(count) }

        /// Calls `body` with each contiguous chunk of writes in order, without copying the writes.
        ///
        /// - Parameter body: A closure that receives a chunk and the position of its first write, and returns whether to continue.
        package func forEachPiece(_ body: (UnsafeBufferPointer<Write>, _ first: Int) throws -> Bool) rethrows {
            try pieces.forEachPiece(body)
        }
    }
}
