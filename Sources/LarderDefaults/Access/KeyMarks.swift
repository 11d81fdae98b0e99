import LarderCore
import Synchronization

/// The name of a key with the hash that stores look it up by, worked out once for all who need it.
struct HashedName {
    let text: String
    let hash: UInt64

    fileprivate init(_ text: String, _ hash: KeyHash) {
        self.text = text
        self.hash =
            text.utf8.withContiguousStorageIfAvailable { hash(UnsafeRawBufferPointer($0)) }
            ?? text.withCString { hash(UnsafeRawBufferPointer(start: $0, count: text.utf8.count)) }
    }

    var storeKey: StoreKey { StoreKey(text, rememberedHash: hash) }
}

/// Which keys one place is known to have on record, as a look that takes no lock and allocates nothing.
///
/// A key is marked by a number of 64 bits made of its name's secret hash, its key store and this object. One place in a table that
/// the process shares holds the last number that fell to it; a number that was pushed out is set again by the next write.
///
/// Two keys have one number once in 2^64 pairs. Then one of them might be left out of the record, and `removeAll` would not find it.
struct KeyMarks: Sendable {
    private static let mask = 4_095
    /// Sound: never freed, and reached by atomic operations only.
    nonisolated(unsafe) private static let table: UnsafeMutablePointer<Atomic<UInt64>> = {
        let table = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: mask + 1)
        for place in 0...mask { (table + place).initialize(to: Atomic(0)) }
        return table
    }()
    private static let made = Atomic<UInt64>(0)

    /// Different for every object of this process, also for one in the memory of an earlier one.
    private let number = Self.made.add(1, ordering: .relaxed).newValue
    // Both kept here, because what the process shares is asked for whether it was made before.
    private let hash = KeyHash.process
    /// Sound for the reasons above.
    nonisolated(unsafe) private let table = Self.table

    func hashed(_ name: String) -> HashedName { HashedName(name, hash) }

    func has(_ name: HashedName, of keyStore: ObjectIdentifier) -> Bool {
        let mark = mark(name, keyStore)
        return place(mark).pointee.load(ordering: .acquiring) == mark
    }

    func set(_ name: HashedName, of keyStore: ObjectIdentifier) {
        let mark = mark(name, keyStore)
        place(mark).pointee.store(mark, ordering: .releasing)
    }

    /// Never zero, which stands for none.
    private func mark(_ name: HashedName, _ keyStore: ObjectIdentifier) -> UInt64 {
        // Odd numbers without a pattern: every bit of each part counts.
        let place = number &* 0x9E37_79B9_7F4A_7C15
        let type = UInt64(truncatingIfNeeded: Int(bitPattern: keyStore)) &* 0xC2B2_AE3D_27D4_EB4F
        return max(name.hash &+ place &+ type, 1)
    }

    private func place(_ mark: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
        table + Int(truncatingIfNeeded: (mark ^ mark >> 32) & UInt64(Self.mask))
    }
}
