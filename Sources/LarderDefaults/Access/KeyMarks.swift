import LarderCore
import Synchronization

/// A lock-free cache of the key names that ``WrittenKeys`` has recorded.
///
/// A cached name is represented by a mark: a 64-bit hash of the name, its key store and the ID of the cache. All caches share one table of
/// marks, in which a new mark may overwrite an older one. Two keys have the same mark with a probability of 1 in 2^64. In that case,
/// `removeAll` might miss one of the keys.
struct KeyMarks: Sendable {
    private static let table = WordTable()
    private static let made = Atomic<UInt64>(0)

    /// The ID of this cache, which is unique within the process.
    private let number = Self.made.add(1, ordering: .relaxed).newValue
    // A copy, because each access to a global checks whether the global is initialized.
    private let table = Self.table

    /// Returns whether the cache contains the name of `key`, which means that ``WrittenKeys`` has recorded the name.
    ///
    /// The key must have a cached hash.
    func has(_ key: StoreKey, of keyStore: ObjectIdentifier) -> Bool {
        let mark = mark(key, keyStore)
        return table[mark].pointee.load(ordering: .acquiring) == mark
    }

    /// Adds the name of `key` to the cache after ``WrittenKeys`` has recorded the name.
    ///
    /// The key must have a cached hash.
    func set(_ key: StoreKey, of keyStore: ObjectIdentifier) {
        let mark = mark(key, keyStore)
        table[mark].pointee.store(mark, ordering: .releasing)
    }

    /// Returns the mark of a key, which is never 0.
    private func mark(_ key: StoreKey, _ keyStore: ObjectIdentifier) -> UInt64 {
        // The factors are odd numbers without a pattern, so that every bit of each part affects the mark.
        let place = number &* 0x9E37_79B9_7F4A_7C15
        let type = UInt64(truncatingIfNeeded: Int(bitPattern: keyStore)) &* 0xC2B2_AE3D_27D4_EB4F
        return max(key.rememberedHash &+ place &+ type, 1)
    }
}
