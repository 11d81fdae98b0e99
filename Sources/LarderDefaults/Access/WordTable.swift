import Synchronization

/// A table of atomic 64-bit words that is indexed by hash.
///
/// The table is never freed, so a lookup takes no lock and allocates nothing. Several hashes may share a word.
struct WordTable: Sendable {
    private static let mask = 4_095
    // Safe because the words are never freed and are accessed with atomic operations only.
    nonisolated(unsafe) private let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// Creates a table filled with zeros.
    ///
    /// The table is never freed, so create only one for each purpose in a process.
    init() {
        words = .allocate(capacity: Self.mask + 1)
        for place in 0...Self.mask { (words + place).initialize(to: Atomic(0)) }
    }

    subscript(hash: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
        words + Int(truncatingIfNeeded: (hash ^ hash >> 32) & UInt64(Self.mask))
    }
}
