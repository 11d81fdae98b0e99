import LarderCore
import LarderFiles

/// One key, its value and where both lie in the log: four words that most lookups read, two that every change writes, and two others.
///
/// The first four words of all entries of a chunk lie side by side, two entries to a cache line; behind them where they lie, four to
/// one, and then the others: so that as little memory as can be has to be in the processor's caches.
///
/// | Word | What |
/// |---|---|
/// | 0 | kind of value in 8 bits, length of the key in 16, encoded length of the value in 32 |
/// | 1 | the value, or the first half of it |
/// | 2, 3 | the key, or where it lies, as ``KeyWords`` says |
/// | position 0, 1 | where the entry lies in the log, by ``DeviceIndex/side`` |
/// | other 0 | the second half of the value |
/// | other 1 | the third word of a key of more than 16 bytes |
struct IndexEntry: Sendable {
    /// How many words an entry has.
    static let wordCount = 8
    /// How many entries a chunk has.
    static let inChunk = 256

    private static let first = 4
    private static let pair = 2

    /// The first four words.
    let words: IndexWords
    private let positions: IndexWords

    /// The entry of that number in a chunk.
    @inline(__always)
    init(_ number: Int, in chunk: IndexWords) {
        words = chunk.advanced(by: number &* Self.first)
        positions = chunk.advanced(by: Self.inChunk &* Self.first &+ number &* Self.pair)
    }

    @inline(__always)
    private var others: IndexWords { positions.advanced(by: Self.inChunk &* Self.pair) }

    /// Has it fetched, to be changed; see ``ProcessorCache``.
    @inline(__always)
    func prefetch() { ProcessorCache.prepare(words.address, positions.address) }

    @inline(__always)
    private var head: UInt64 { words[0] }

    @inline(__always)
    private var kind: UInt8 { UInt8(truncatingIfNeeded: head) }

    @inline(__always)
    var keyLength: Int { Int(truncatingIfNeeded: head >> 8 & 0xFFFF) }

    /// Encoded bytes of the value.
    @inline(__always)
    var valueLength: Int { Int(truncatingIfNeeded: head >> 24 & 0xFFFF_FFFF) }

    /// What it takes in a snapshot.
    @inline(__always)
    func size(expires: Bool) -> Int { LogEntry.size(key: keyLength, value: valueLength, expires: expires).total }

    /// The value; not changed, and not freed, as long as the lock is held.
    @inline(__always)
    var value: IndexValue {
        let kind = kind
        return IndexValue(kind: kind, words[1], IndexValue.hasTwoWords(kind) ? others[0] : 0)
    }

    /// Whether it keeps `value`, for ever; for whoever can rely on nobody changing it meanwhile.
    @inline(__always)
    func keeps(_ value: StoredValue) -> Bool {
        if case .int(let number) = value, kind == IndexValue.Kind.int { return keeps(number) }
        return keepsOther(value, self.value)
    }

    /// The same for an integer.
    @inline(__always)
    func keeps(_ integer: Int64) -> Bool { kind == IndexValue.Kind.int && words[1] == UInt64(bitPattern: integer) }

    @inline(never)
    private func keepsOther(_ value: StoredValue, _ held: IndexValue) -> Bool {
        if let box = held.box { return box.pointee.expiry == .max && box.pointee.value == value }
        return held.unboxed == value
    }

    /// Where a long key lies.
    @inline(__always)
    var longKey: IndexWords { IndexWords(at: words[2], or: words) }

    /// Whether this is the entry of a key; of a long one, whether it may be.
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

    /// Hands the bytes of the key to `body`.
    func withKey<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let length = keyLength
        if length > KeyWords.longestInEntry {
            // Nobody writes to it: the lock is held, or there is nobody else.
            return try body(UnsafeRawBufferPointer(start: longKey.address, count: length))
        }
        return try withUnsafeTemporaryAllocation(byteCount: KeyWords.longestInEntry, alignment: 8) { buffer in
            let key = (words[2], words[3], length > 16 ? others[1] : 0)
            ShortKey(key, length: UInt8(truncatingIfNeeded: length)).copyBytes(to: buffer)
            return try body(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
        }
    }
}
