import Synchronization

/// Memory of 8-byte words that readers look at while a writer changes them, so that each access is atomic.
///
/// Sendable although it is a pointer: it is accessed by atomic loads and stores alone, and ``IndexMemory`` keeps it.
package struct IndexWords: @unchecked Sendable, Hashable {
    package let address: UnsafeMutableRawPointer

    @inline(__always)
    init(_ address: UnsafeMutableRawPointer) { self.address = address }

    /// The words at an address that a word stated.
    @inline(__always)
    init(at address: UInt64, or other: IndexWords) {
        self.address = UnsafeMutableRawPointer(bitPattern: UInt(address)) ?? other.address
    }

    /// The address as a word.
    @inline(__always)
    var asWord: UInt64 { UInt64(UInt(bitPattern: address)) }

    @inline(__always)
    func atomic(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (address + index &* 8).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// A word, in no order with others.
    @inline(__always)
    package subscript(index: Int) -> UInt64 {
        get { atomic(index).pointee.load(ordering: .relaxed) }
        nonmutating set { atomic(index).pointee.store(newValue, ordering: .relaxed) }
    }

    /// The words at the address that a word states, as they were when it was stated; `nil` for zero.
    @inline(__always)
    func pointer(_ index: Int) -> IndexWords? {
        let word = atomic(index).pointee.load(ordering: .acquiring)
        return UnsafeMutableRawPointer(bitPattern: UInt(word)).map { IndexWords($0) }
    }

    /// States the address of other words, for those who look without a lock as well.
    @inline(__always)
    func setPointer(_ index: Int, _ words: IndexWords) {
        atomic(index).pointee.store(words.asWord, ordering: .releasing)
    }

    /// The words from `index` on.
    @inline(__always)
    func advanced(by index: Int) -> IndexWords { IndexWords(address + index &* 8) }
}
