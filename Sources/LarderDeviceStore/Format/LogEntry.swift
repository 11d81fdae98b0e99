/// The location and the decoded fields of an entry in a log frame.
///
/// An entry sets or removes one key.
struct LogEntry: Hashable {
    enum Kind: Hashable { case removed, set, setUntil }

    var kind: Kind
    /// The byte range of the entire entry in the buffer.
    var bytes: Range<Int>
    var key: Range<Int>
    /// The byte range of the encoded value in the buffer, which is empty for a removal.
    var value: Range<Int>
    /// The time at which the entry expires, in milliseconds since 1970, or `nil` if it never expires.
    var expiry: Int64?

    /// Reads the entry at `offset`, or returns `nil` if no valid entry ends at or before `end`.
    @inline(__always)
    static func read(_ bytes: UnsafeRawBufferPointer, at offset: Int, before end: Int) -> LogEntry? {
        guard offset < end else { return nil }
        let kind: Kind
        switch bytes[offset] {
        case LogFormat.EntryKind.removed: kind = .removed
        case LogFormat.EntryKind.set: kind = .set
        case LogFormat.EntryKind.setUntil: kind = .setUntil
        default: return nil
        }
        guard let keyLength = bytes.variableNumber(at: offset + 1, before: end) else { return nil }
        var next = keyLength.end
        var valueLength = 0
        if kind != .removed {
            guard let length = bytes.variableNumber(at: next, before: end) else { return nil }
            valueLength = length.value
            next = length.end
        }
        var expiry: Int64?
        if kind == .setUntil {
            guard next + LogFormat.expirySize <= end else { return nil }
            // In memory, the maximum means that an entry never expires.
            expiry = min(bytes.number(Int64.self, at: next), .max - 1)
            next += LogFormat.expirySize
        }
        guard keyLength.value <= end - next, valueLength <= end - next - keyLength.value else { return nil }
        let key = next..<next + keyLength.value
        let value = key.upperBound..<key.upperBound + valueLength
        return LogEntry(kind: kind, bytes: offset..<value.upperBound, key: key, value: value, expiry: expiry)
    }

    /// Returns the offsets of the key, the value, and the end of an entry in the most common form.
    ///
    /// In this form, an entry sets a key without expiry, and each length is encoded in one byte.
    ///
    /// - Returns: The offsets, or `nil` if the entry has another form or ends after `end`.
    @inline(__always)
    static func readShort(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int,
        before end: Int
    ) -> (key: Int, value: Int, end: Int)? {
        guard end &- offset >= 3, bytes[offset] == LogFormat.EntryKind.set else { return nil }
        let (keyLength, valueLength) = (Int(bytes[offset &+ 1]), Int(bytes[offset &+ 2]))
        let key = offset &+ 3
        let value = key &+ keyLength
        let next = value &+ valueLength
        guard keyLength | valueLength < 0x80, next <= end else { return nil }
        return (key, value, next)
    }

    /// Returns the number of bytes by which an entry grows when the size of its value changes from `old` to `new`.
    @inline(__always)
    static func growth(from old: Int, to new: Int) -> Int {
        old | new < 0x80 ? new - old : new - old + variableNumberSize(new) - variableNumberSize(old)
    }

    /// Returns the total size in bytes of an entry that sets a key, and the number of bytes before its key.
    static func size(key: Int, value: Int, expires: Bool) -> (total: Int, beforeKey: Int) {
        let before = 1 + variableNumberSize(key) + variableNumberSize(value) + (expires ? LogFormat.expirySize : 0)
        return (before + key + value, before)
    }
}
