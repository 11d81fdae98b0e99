import Synchronization

/// A fixed-size table of atomic 64-bit words, indexed by hash.
///
/// Lookups are lock-free and allocate nothing. Several hashes may share a word. The table is never freed.
struct WordTable: Sendable {
    private static let mask = 4_095
    // Safe because the words are never freed and are accessed with atomic operations only.
    nonisolated(unsafe) private let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// Creates a table filled with zeros, which is never freed.
    init() {
        words = .allocate(capacity: Self.mask + 1)
        for place in 0...Self.mask { (words + place).initialize(to: Atomic(0)) }
    }

    subscript(hash: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
        words + Int(truncatingIfNeeded: (hash ^ hash >> 32) & UInt64(Self.mask))
    }
}
