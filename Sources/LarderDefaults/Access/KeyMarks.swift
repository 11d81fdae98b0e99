import LarderCore
import Synchronization

/// A lock-free cache of the keys whose names ``WrittenKeys`` has recorded, with lookups that allocate nothing.
///
/// The mark of a key is a 64-bit number that depends on the seeded hash of its name, its key store and this cache. Marks are kept in a
/// table that the whole process shares. If two marks share a word of the table, the later mark replaces the earlier one, which is stored
/// again when its key is next written.
///
/// Two keys have the same mark with a probability of 1 in 2^64. One of the keys might then not be recorded, and `removeAll` would miss it.
struct KeyMarks: Sendable {
    private static let table = WordTable()
    private static let made = Atomic<UInt64>(0)

    /// The number of this cache, which is never reused in this process.
    private let number = Self.made.add(1, ordering: .relaxed).newValue
    // A copy, because each access to a global checks whether the global is initialized.
    private let table = Self.table

    /// Returns whether a key is marked as recorded by ``WrittenKeys``.
    ///
    /// The key must have a cached hash.
    func has(_ key: StoreKey, of keyStore: ObjectIdentifier) -> Bool {
        let mark = mark(key, keyStore)
        return table[mark].pointee.load(ordering: .acquiring) == mark
    }

    /// Marks a key as recorded by ``WrittenKeys``.
    ///
    /// The key must have a cached hash.
    func set(_ key: StoreKey, of keyStore: ObjectIdentifier) {
        let mark = mark(key, keyStore)
        table[mark].pointee.store(mark, ordering: .releasing)
    }

    /// Returns the mark of a key.
    ///
    /// A mark is never 0, because 0 means that there is no mark.
    private func mark(_ key: StoreKey, _ keyStore: ObjectIdentifier) -> UInt64 {
        // The factors are odd numbers without a pattern, so that every bit of each part affects the mark.
        let place = number &* 0x9E37_79B9_7F4A_7C15
        let type = UInt64(truncatingIfNeeded: Int(bitPattern: keyStore)) &* 0xC2B2_AE3D_27D4_EB4F
        return max(key.rememberedHash &+ place &+ type, 1)
    }
}
