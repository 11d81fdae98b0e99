/// One key, its value and where both lie in the log: eight words, a cache line.
///
/// | Word | What |
/// |---|---|
/// | 0 | kind of value in 8 bits, length of the key in 16, encoded length of the value in 32 |
/// | 1, 2 | the value |
/// | 3, 4, 5 | the key, or where it lies, as ``KeyWords`` says |
/// | 6, 7 | where the entry lies in the log, by ``DeviceIndex/side`` |
struct IndexEntry: Sendable {
    let words: IndexWords

    @inline(__always)
    private var head: UInt64 { words[0] }

    @inline(__always)
    var keyLength: Int { Int(truncatingIfNeeded: head >> 8 & 0xFFFF) }

    /// Encoded bytes of the value.
    @inline(__always)
    var valueLength: Int { Int(truncatingIfNeeded: head >> 24 & 0xFFFF_FFFF) }

    /// The value; not changed, and not freed, as long as the lock is held.
    @inline(__always)
    var value: IndexValue { IndexValue(kind: UInt8(truncatingIfNeeded: head), words[1], words[2]) }

    /// Where a long key lies.
    @inline(__always)
    var longKey: IndexWords { IndexWords(at: words[3], or: words) }

    /// Whether this is the entry of a key; of a long one, whether it may be.
    @inline(__always)
    func holds(_ key: KeyWords) -> Bool {
        guard keyLength == key.count else { return false }
        if key.count <= 16 { return words[3] == key.first && words[4] == key.second }
        return !key.isInEntry || (words[3] == key.first && words[4] == key.second && words[5] == key.third)
    }

    @inline(__always)
    func setKey(_ key: KeyWords, longKey: IndexWords?) {
        words[3] = longKey?.asWord ?? key.first
        words[4] = key.second
        words[5] = key.third
    }

    func moveLongKey(to place: IndexWords) { words[3] = place.asWord }

    @inline(__always)
    func setValue(_ value: IndexValue, length: Int, keyLength: Int) {
        words[0] = UInt64(value.kind) | UInt64(keyLength) << 8 | UInt64(length) << 24
        words[1] = value.first
        words[2] = value.second
    }

    @inline(__always)
    func position(_ side: Int) -> Int { Int(truncatingIfNeeded: words[6 + side]) }

    @inline(__always)
    func setPosition(_ side: Int, _ position: Int) { words[6 + side] = UInt64(truncatingIfNeeded: position) }

    /// Hands the bytes of the key to `body`.
    func withKey<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let length = keyLength
        if length > KeyWords.longestInEntry {
            // Nobody writes to it: the lock is held, or there is nobody else.
            return try body(UnsafeRawBufferPointer(start: longKey.address, count: length))
        }
        return try withUnsafeTemporaryAllocation(byteCount: KeyWords.longestInEntry, alignment: 8) { buffer in
            KeyWords.write(length, words[3], words[4], words[5], to: buffer)
            return try body(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
        }
    }
}
