/// The key of a value in a store: a prefix, which may be empty, followed by a name.
///
/// Two keys are equal if their prefixes followed by their names have the same UTF-8 bytes, no matter where the prefix ends. For example,
/// `StoreKey("pi", prefix: "Double.") == StoreKey("Double.pi")`. A data source can store its prefix once and combine it with the name
/// passed to each call without building a new string. A key of up to 24 bytes is stored inline.
///
/// **Valid keys.** Any string of up to ``maximumLength`` bytes of UTF-8 is valid, including an empty string and strings that contain
/// control characters or emoji. Keys that begin with U+0000 followed by `larder` are reserved, so stores reject them with
/// ``StoreError/Code/reservedKey`` and omit them from listings, counts and changes.
///
/// A key that is used repeatedly can cache its hash; see ``rememberingHash()``.
public struct StoreKey: Sendable {
    /// The maximum combined length of the prefix and the name, in UTF-8 bytes: 4,096.
    ///
    /// Using a longer key fails with ``StoreError/Code/keyTooLong``.
    public static let maximumLength = 4096

    /// The bytes of a short key, or the prefix and the name of a longer key.
    @usableFromInline
    enum Storage: Sendable {
        /// The concatenated bytes of the prefix and the name of a short key.
        case short(ShortBytes, prefixLength: UInt8)
        case long(prefix: String, name: String)
    }

    @usableFromInline let storage: Storage
    /// The cached hash of the bytes (zero if not cached), combined with one bit that marks an internal key.
    ///
    /// ``KeyHash/process`` computes the hash. The hash and the bit share one word to keep keys small.
    @usableFromInline let hashAndKind: UInt64

    @inlinable static var internalBit: UInt64 { 1 << 62 }

    /// Creates a key from a name and an optional prefix.
    ///
    /// - Parameters:
    ///   - name: The key, or the part of the key after the prefix.
    ///   - prefix: The beginning of the key. No separator is inserted.
    @inlinable @inline(__always)
    public init(_ name: String, prefix: String = "") {
        if prefix.isEmpty, let short = ShortBytes(name) {
            self.init(.short(short, prefixLength: 0), 0)
        } else {
            self.init(Self.storage(prefix, name), 0)
        }
    }

    /// Creates a key from valid UTF-8 bytes.
    @inlinable @inline(__always)
    package init(_ bytes: ShortBytes) { self.init(.short(bytes, prefixLength: 0), 0) }

    /// Creates a key without a prefix from a string longer than ``ShortBytes/capacity``.
    @inlinable @inline(__always)
    package init(long text: String) { self.init(.long(prefix: "", name: text), 0) }

    /// Creates an internal key in the reserved namespace, for records that Larder keeps alongside values.
    package init(reserved name: String) { self.init(Self.storage(Self.reservedPrefix, name), Self.internalBit) }

    /// Creates a key from a name and its hash, which must have been computed by ``KeyHash/process``.
    package init(_ name: String, rememberedHash: UInt64) {
        self.init(StoreKey(name).storage, rememberedHash)
    }

    @inlinable @inline(__always)
    init(_ storage: Storage, _ hashAndKind: UInt64) {
        self.storage = storage
        self.hashAndKind = hashAndKind
    }

    @usableFromInline
    static func storage(_ prefix: String, _ name: String) -> Storage {
        let (prefixLength, count) = (prefix.utf8.count, prefix.utf8.count + name.utf8.count)
        guard count <= ShortBytes.capacity else { return .long(prefix: prefix, name: name) }
        return withUnsafeTemporaryAllocation(byteCount: ShortBytes.capacity, alignment: 8) { buffer in
            prefix.copyUTF8(to: UnsafeMutableRawBufferPointer(rebasing: buffer[..<prefixLength]))
            name.copyUTF8(to: UnsafeMutableRawBufferPointer(rebasing: buffer[prefixLength..<count]))
            let bytes = ShortBytes(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            return .short(bytes, prefixLength: UInt8(prefixLength))
        }
    }

    /// The part of the key before the name, including any separator.
    ///
    /// The prefix is often an empty string.
    public var prefix: String {
        switch storage {
        case .short(_, 0): ""
        case .short(let bytes, let length): bytes.withBytes { String(decoding: $0[..<Int(length)], as: UTF8.self) }
        case .long(let prefix, _): prefix
        }
    }

    /// The part of the key after the prefix.
    public var name: String {
        switch storage {
        case .short(let bytes, let length): bytes.withBytes { String(decoding: $0[Int(length)...], as: UTF8.self) }
        case .long(_, let name): name
        }
    }

    /// Whether Larder created this key in the reserved namespace.
    package var isInternal: Bool { hashAndKind & Self.internalBit != 0 }

    /// The cached hash of the bytes, computed by ``KeyHash/process``, or zero if no hash is cached.
    @inlinable @inline(__always)
    package var rememberedHash: UInt64 { hashAndKind & ~Self.internalBit }

    /// Returns an equal key that caches its hash, for keys that are used repeatedly.
    ///
    /// The cached hash is valid only in this process and is never stored. The prefix of the result is empty, because the name includes it.
    ///
    /// - Returns: An equal key, which a `DeviceStore` looks up faster. Lookups in other stores are unaffected.
    public func rememberingHash() -> StoreKey { joined.remembering(KeyHash.process) }

    /// Returns an equal key that caches the hash computed by `hash`.
    ///
    /// Only tests pass a function other than ``KeyHash/process``.
    @inlinable @inline(__always)
    package func remembering(_ hash: KeyHash) -> StoreKey {
        if rememberedHash != 0 { return self }
        let value = if let shortBytes { hash(shortBytes) } else { withBytes { hash($0) } }
        return StoreKey(storage, value | hashAndKind)
    }

    /// An equal key whose prefix is empty, or this key itself if it is internal.
    package var joined: StoreKey {
        // Stores recognize internal keys by their two parts.
        guard !isInternal else { return self }
        return switch storage {
        case .short(_, 0): self
        case .short(let bytes, _): StoreKey(.short(bytes, prefixLength: 0), hashAndKind)
        case .long(let prefix, let name):
            prefix.isEmpty ? self : StoreKey(.long(prefix: "", name: prefix + name), hashAndKind)
        }
    }

    /// The prefix of all reserved keys.
    package static let reservedPrefix = "\u{0}larder"

    /// The full key as a newly created string.
    public var text: String {
        switch storage {
        case .short(let bytes, _): bytes.withBytes { String(decoding: $0, as: UTF8.self) }
        case .long(let prefix, let name): prefix.isEmpty ? name : prefix + name
        }
    }

    /// The number of UTF-8 bytes in the full key.
    public var length: Int {
        switch storage {
        case .short(let bytes, _): bytes.count
        case .long(let prefix, let name): prefix.utf8.count + name.utf8.count
        }
    }

    /// Whether the key begins with the reserved prefix.
    package var isReserved: Bool {
        // The first byte rules out almost every key without building a string.
        guard firstByte == 0 else { return false }
        return text.utf8.starts(with: Self.reservedPrefix.utf8)
    }

    /// Whether a quick check shows that the key is valid.
    ///
    /// The check passes if the key is not too long and its first byte differs from the first byte of reserved keys.
    @usableFromInline var isPlain: Bool { length <= Self.maximumLength && firstByte != 0 }

    /// The first byte of the key, or `nil` if the key is empty.
    package var firstByte: UInt8? {
        switch storage {
        case .short(let bytes, _): bytes.count > 0 ? UInt8(truncatingIfNeeded: bytes.words.0) : nil
        case .long(let prefix, let name): prefix.utf8.first ?? name.utf8.first
        }
    }

    /// Checks that the key is not too long and not in the reserved namespace.
    ///
    /// In a custom store, call this method first in every method that takes a key.
    ///
    /// - Throws: ``StoreError`` with code `keyTooLong` or `reservedKey`.
    public func validate() throws {
        if isPlain { return }
        guard length <= Self.maximumLength else { throw StoreError.keyTooLong(self) }
        guard isInternal || !isReserved else { throw StoreError.reservedKey(self) }
    }
}

extension StoreKey: Hashable {
    /// Returns whether both keys have the same bytes.
    public static func == (left: StoreKey, right: StoreKey) -> Bool {
        switch (left.storage, right.storage) {
        case (.short(let left, _), .short(let right, _)): left.words == right.words && left.length == right.length
        case (.long(let prefix, let name), .long(let otherPrefix, let otherName)):
            prefix.utf8.count == otherPrefix.utf8.count
                ? name.hasSameBytes(as: otherName) && prefix.hasSameBytes(as: otherPrefix)
                : left.length == right.length && left.text.hasSameBytes(as: right.text)
        default: false
        }
    }

    /// Hashes the bytes of the key, regardless of where its prefix ends.
    public func hash(into hasher: inout Hasher) {
        switch storage {
        case .short(let bytes, _):
            hasher.combine(bytes.words.0)
            hasher.combine(bytes.words.1)
            hasher.combine(bytes.words.2)
            hasher.combine(bytes.length)
        case .long(let prefix, let name):
            prefix.feedBytes(into: &hasher)
            name.hashBytes(into: &hasher)
        }
    }
}

extension StoreKey: Comparable {
    /// Returns whether the bytes of `left` sort before the bytes of `right`.
    public static func < (left: StoreKey, right: StoreKey) -> Bool { left.text.precedesByBytes(right.text) }
}

extension StoreKey: ExpressibleByStringInterpolation, CustomStringConvertible {
    /// Creates a key without a prefix from a string literal, with or without interpolations.
    public init(stringLiteral value: String) { self.init(value) }

    /// The full key in quotation marks, with control characters escaped.
    public var description: String { text.debugDescription }
}
