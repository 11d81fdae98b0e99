import LarderCore
import LarderFiles

extension DeviceEngine {
    /// How many writes' keys are fetched at a time.
    static var keysFetched: Int { 16 }

    /// Has the texts of the keys of `count` writes fetched, which may lie anywhere: all of them are waited for at once then, instead of
    /// one after the other.
    @inline(never)
    func fetchKeys(_ writes: UnsafePointer<StoreBatch.Write>, _ count: Int) {
        #if _pointerBitWidth(_64)
        guard let offset = Self.nameOffset else { return }
        for place in 0..<count {
            // Asked for its bytes, a text in an array counts a reference first, which waits for the memory that is to be fetched.
            let word = UnsafeRawPointer(writes + place).load(fromByteOffset: offset + 8, as: UInt.self)
            if word & Self.isInline == 0, let storage = UnsafeRawPointer(bitPattern: word & Self.address) {
                ProcessorCache.prepare(storage + Self.storageHeader)
            }
        }
        #endif
    }

    #if _pointerBitWidth(_64)
    // How a `String` of Swift 5 and later lies in memory. Nothing depends on it: what is fetched is a hint, whatever is there.
    private static let nameOffset = MemoryLayout<StoreBatch.Write>.offset(of: \.key.name)
    private static var isInline: UInt { 1 << 61 }
    private static var address: UInt { 1 << 60 - 1 }
    private static var storageHeader: Int { 32 }
    #endif
}
