import Foundation
import LarderCore

/// A value in an index entry, represented by a kind and two words.
///
/// Numbers, Booleans, dates, and strings of up to 15 bytes are stored inline and can be read without a lock. Longer strings and
/// ``BoxedValue`` instances can be copied only under the lock, which prevents a writer from releasing them.
struct IndexValue {
    enum Kind {
        static let boxed: UInt8 = 0
        static let text: UInt8 = 1
        static let url: UInt8 = 2
        static let bool: UInt8 = 3
        static let int: UInt8 = 4
        static let unsigned: UInt8 = 5
        static let float: UInt8 = 6
        static let double: UInt8 = 7
        static let date: UInt8 = 8
        /// The kind of an empty inline string.
        ///
        /// The kind of a nonempty inline string is this number plus the length of the string in bytes.
        static let shortText: UInt8 = 16
    }

    /// The maximum length of an inline string in bytes.
    static let longestShortText = 15

    let kind: UInt8
    let first: UInt64
    let second: UInt64

    @inline(__always)
    init(kind: UInt8, _ first: UInt64, _ second: UInt64 = 0) {
        self.kind = kind
        self.first = first
        self.second = second
    }

    @inline(__always)
    init(_ integer: Int64) { self.init(kind: Kind.int, UInt64(bitPattern: integer)) }

    /// Returns whether the representation of values of `kind` takes two words.
    @inline(__always)
    static func hasTwoWords(_ kind: UInt8) -> Bool {
        kind == Kind.text || kind == Kind.url || kind > Kind.shortText + 8
    }

    /// Whether copying the value requires the index's lock.
    @inline(__always)
    var needsLock: Bool { kind < Kind.bool }

    /// A copy of the value.
    ///
    /// The value must not require the index's lock.
    @inline(__always)
    var copied: StoredValue {
        switch kind {
        case Kind.int: .int(Int64(bitPattern: first))
        case Kind.bool: .bool(first != 0)
        case Kind.double: .double(Double(bitPattern: first))
        default: otherCopied
        }
    }

    @inline(never)
    private var otherCopied: StoredValue {
        switch kind {
        case Kind.unsigned: .unsigned(first)
        case Kind.float: .float(Float(bitPattern: UInt32(truncatingIfNeeded: first)))
        case Kind.date: .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: first)))
        default:
            withUnsafeBytes(of: (first, second)) { bytes in
                .string(String(decoding: bytes.prefix(Int(kind &- Kind.shortText)), as: UTF8.self))
            }
        }
    }
}

/// A value that is stored only in the file, has an expiry, or needs more than two words.
struct BoxedValue {
    /// The value, or `.null` if the value is stored only in the file.
    var value: StoredValue
    /// The expiry time in milliseconds since 1970, or `Int64.max` if the value never expires.
    var expiry: Int64
    /// The CRC-32C checksum of the encoded value if the value is stored only in the file.
    var checksum: UInt32

    init(_ entry: consuming DeviceIndex.Entry) {
        expiry = entry.expiry
        checksum = entry.checksum
        value = entry.value
    }
}

// Accesses to values that are stored in Swift's representation, which require the lock.
extension IndexValue {
    /// Creates the in-memory representation of an entry's value.
    ///
    /// To free the representation, call ``release()``.
    @inline(__always)
    init(_ entry: DeviceIndex.Entry) {
        guard entry.expiry == .max else {
            self.init(boxing: entry)
            return
        }
        if let number = IndexValue(number: entry.value) {
            self = number
        } else {
            self.init(other: entry)
        }
    }

    /// Creates the in-memory representation of an integer, a Boolean, or a double.
    ///
    /// Returns `nil` for any other value.
    @inline(__always)
    init?(number value: StoredValue) {
        switch value {
        case .int(let number): self.init(number)
        case .bool(let truth): self.init(kind: Kind.bool, truth ? 1 : 0)
        case .double(let number): self.init(kind: Kind.double, number.bitPattern)
        default: return nil
        }
    }

    @inline(never)
    private init(other entry: DeviceIndex.Entry) {
        switch entry.value {
        case .unsigned(let number): self.init(kind: Kind.unsigned, number)
        case .float(let number): self.init(kind: Kind.float, UInt64(number.bitPattern))
        case .date(let date): self.init(kind: Kind.date, date.timeIntervalSinceReferenceDate.bitPattern)
        case .string(let text): self.init(text)
        case .url(let text): self.init(kind: Kind.url, holding: text)
        default: self.init(boxing: entry)
        }
    }

    private init(_ text: String) {
        let count = text.utf8.count
        guard count <= Self.longestShortText else {
            self.init(kind: Kind.text, holding: text)
            return
        }
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: text.utf8) }
        self.init(kind: Kind.shortText &+ UInt8(count), words.0, words.1)
    }

    private init(kind: UInt8, holding text: String) {
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { _ = $0.baseAddress?.initializeMemory(as: String.self, to: text) }
        self.init(kind: kind, words.0, words.1)
    }

    private init(boxing entry: DeviceIndex.Entry) {
        let box = UnsafeMutablePointer<BoxedValue>.allocate(capacity: 1)
        box.initialize(to: BoxedValue(entry))
        self.init(kind: Kind.boxed, UInt64(UInt(bitPattern: box)))
    }

    /// Returns whether the in-memory representation of `entry` is a ``BoxedValue``.
    static func isBoxed(_ entry: DeviceIndex.Entry) -> Bool {
        guard entry.expiry == .max else { return true }
        return switch entry.value {
        case .int, .bool, .double, .unsigned, .float, .date, .string, .url: false
        default: true
        }
    }

    /// The address of the boxed value, or `nil` if the value is not boxed.
    @inline(__always)
    var box: UnsafeMutablePointer<BoxedValue>? {
        kind == Kind.boxed ? UnsafeMutablePointer(bitPattern: UInt(first)) : nil
    }

    /// The value, which must not be boxed.
    var unboxed: StoredValue {
        guard needsLock else { return copied }
        let text = withUnsafeBytes(of: (first, second)) { $0.load(as: String.self) }
        return kind == Kind.url ? .url(text) : .string(text)
    }

    /// Frees the memory of a long string or a boxed value.
    @inline(__always)
    func release() { if needsLock { releaseHeld() } }

    @inline(never)
    private func releaseHeld() {
        if let box {
            box.deinitialize(count: 1)
            box.deallocate()
        } else {
            var words = (first, second)
            withUnsafeMutableBytes(of: &words) { bytes in
                _ = bytes.baseAddress?.assumingMemoryBound(to: String.self).deinitialize(count: 1)
            }
        }
    }
}
