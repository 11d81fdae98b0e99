import Synchronization

/// A pointer to 8-byte words, which are accessed atomically because lock-free readers may read them during a write.
///
/// The unchecked `Sendable` conformance is safe, because all accesses are atomic and ``IndexMemory`` keeps the memory readable.
package struct IndexWords: @unchecked Sendable, Hashable {
    package let address: UnsafeMutableRawPointer

    @inline(__always)
    init(_ address: UnsafeMutableRawPointer) { self.address = address }

    /// Creates a pointer from an address, or copies `other` if the address is zero.
    @inline(__always)
    init(at address: UInt64, or other: IndexWords) {
        self.address = UnsafeMutableRawPointer(bitPattern: UInt(address)) ?? other.address
    }

    /// The address as an integer.
    @inline(__always)
    var asWord: UInt64 { UInt64(UInt(bitPattern: address)) }

    @inline(__always)
    func atomic(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (address + index &* 8).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Accesses the word at `index` with relaxed memory ordering.
    @inline(__always)
    package subscript(index: Int) -> UInt64 {
        get { atomic(index).pointee.load(ordering: .relaxed) }
        nonmutating set { atomic(index).pointee.store(newValue, ordering: .relaxed) }
    }

    /// Loads a pointer from the word at `index` with acquire ordering, or returns `nil` if the word is zero.
    @inline(__always)
    func pointer(_ index: Int) -> IndexWords? {
        let word = atomic(index).pointee.load(ordering: .acquiring)
        return UnsafeMutableRawPointer(bitPattern: UInt(word)).map { IndexWords($0) }
    }

    /// Stores a pointer in the word at `index` with release ordering, so that lock-free readers can follow it.
    @inline(__always)
    func setPointer(_ index: Int, _ words: IndexWords) {
        atomic(index).pointee.store(words.asWord, ordering: .releasing)
    }

    /// Returns a pointer to the word at `index`.
    @inline(__always)
    func advanced(by index: Int) -> IndexWords { IndexWords(address + index &* 8) }
}
