import LarderCore
import LarderFiles

/// An accessor for an index entry, which contains a key, its value, and its positions in the log.
///
/// To improve cache locality, the first four words of all entries in a chunk are adjacent, followed by the positions, and then by the other
/// two words. Most lookups read only the first four words.
///
/// | Word | Content |
/// |---|---|
/// | 0 | kind of value in 8 bits, length of the key in 16, encoded length of the value in 32 |
/// | 1 | the value, or its first half |
/// | 2, 3 | the key or its address, as in ``KeyWords`` |
/// | position 0, 1 | the entry's offset in the log, selected by ``DeviceIndex/side`` |
/// | other 0 | the second half of the value |
/// | other 1 | the third word of a key that has more than 16 bytes |
struct IndexEntry: Sendable {
    /// The number of 64-bit words in an entry.
    static let wordCount = 8
    /// The number of entries in a chunk of the index.
    static let inChunk = 256

    private static let first = 4
    private static let pair = 2

    /// A pointer to the entry's first four words.
    let words: IndexWords
    private let positions: IndexWords

    /// Creates an accessor for entry `number` in a chunk.
    @inline(__always)
    init(_ number: Int, in chunk: IndexWords) {
        words = chunk.advanced(by: number &* Self.first)
        positions = chunk.advanced(by: Self.inChunk &* Self.first &+ number &* Self.pair)
    }

    @inline(__always)
    private var others: IndexWords { positions.advanced(by: Self.inChunk &* Self.pair) }

    @inline(__always)
    private var head: UInt64 { words[0] }

    @inline(__always)
    private var kind: UInt8 { UInt8(truncatingIfNeeded: head) }

    @inline(__always)
    var keyLength: Int { Int(truncatingIfNeeded: head >> 8 & 0xFFFF) }

    /// The encoded size of the value in bytes.
    @inline(__always)
    var valueLength: Int { Int(truncatingIfNeeded: head >> 24 & 0xFFFF_FFFF) }

    /// Returns the size in bytes that the entry would have in a snapshot.
    @inline(__always)
    func size(expires: Bool) -> Int { LogEntry.size(key: keyLength, value: valueLength, expires: expires).total }

    /// The entry's value, valid while the caller holds the index's lock.
    @inline(__always)
    var value: IndexValue {
        let kind = kind
        return IndexValue(kind: kind, words[1], IndexValue.hasTwoWords(kind) ? others[0] : 0)
    }

    /// Returns whether the entry holds `value` and has no expiry.
    ///
    /// The entry must not change during the call.
    @inline(__always)
    func keeps(_ value: StoredValue) -> Bool {
        if case .int(let number) = value, kind == IndexValue.Kind.int { return keeps(number) }
        return keepsOther(value, self.value)
    }

    /// Returns whether the entry holds `integer` and has no expiry.
    @inline(__always)
    func keeps(_ integer: Int64) -> Bool { kind == IndexValue.Kind.int && words[1] == UInt64(bitPattern: integer) }

    @inline(never)
    private func keepsOther(_ value: StoredValue, _ held: IndexValue) -> Bool {
        if let box = held.box { return box.pointee.expiry == .max && box.pointee.value == value }
        return held.unboxed == value
    }

    /// A pointer to the bytes of a key that does not fit into the entry.
    @inline(__always)
    var longKey: IndexWords { IndexWords(at: words[2], or: words) }

    /// Returns whether the entry has the given key.
    ///
    /// For a long key, only the length is compared, so a result of `true` is not conclusive.
    @inline(__always)
    func holds(_ key: KeyWords) -> Bool {
        guard keyLength == key.count else { return false }
        if key.count <= 16 { return words[2] == key.first && words[3] == key.second }
        return !key.isInEntry || (words[2] == key.first && words[3] == key.second && others[1] == key.third)
    }

    @inline(__always)
    func setKey(_ key: KeyWords, longKey: IndexWords?) {
        words[2] = longKey?.asWord ?? key.first
        words[3] = key.second
        if key.count > 16 { others[1] = key.third }
    }

    func moveLongKey(to place: IndexWords) { words[2] = place.asWord }

    @inline(__always)
    func setValue(_ value: IndexValue, length: Int, keyLength: Int) {
        words[0] = UInt64(value.kind) | UInt64(keyLength) << 8 | UInt64(length) << 24
        words[1] = value.first
        if IndexValue.hasTwoWords(value.kind) { others[0] = value.second }
    }

    @inline(__always)
    func position(_ side: Int) -> Int { Int(truncatingIfNeeded: positions[side]) }

    @inline(__always)
    func setPosition(_ side: Int, _ position: Int) { positions[side] = UInt64(truncatingIfNeeded: position) }

    /// Calls `body` with the bytes of the entry's key.
    func withKey<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let length = keyLength
        if length > KeyWords.longestInEntry {
            // No write is possible, because the lock is held or there is no other thread.
            return try body(UnsafeRawBufferPointer(start: longKey.address, count: length))
        }
        return try ShortBytes((words[2], words[3], length > 16 ? others[1] : 0), count: length).withBytes(body)
    }
}
