/// The key of one value in a store: a prefix and a name, passed apart and never joined to a text to look something up.
///
/// Two keys are equal when the UTF-8 bytes of prefix followed by name are equal; where the prefix ends does not matter:
/// `StoreKey("pi", prefix: "Double.") == StoreKey("Double.pi")`. A data source keeps its prefix once and adds the name of each
/// call without building a new string.
///
/// **Which keys a store takes.** Any UTF-8 text: empty, with dots, spaces, control characters, emoji, composed or decomposed.
/// At most ``maximumLength`` bytes. Keys that begin with U+0000 followed by `larder` are Larder's own: stores refuse them with
/// ``StoreError/Code/reservedKey`` and leave them out of listings, counts and changes.
///
/// A key that is used again and again can remember the hash that a store looks it up by: see ``rememberingHash()``.
public struct StoreKey: Sendable {
    /// The most UTF-8 bytes that prefix and name may have together: 4,096.
    ///
    /// A longer key is ``StoreError/Code/keyTooLong``.
    public static let maximumLength = 4096

    /// What stands before the name, the separating dot included; often empty.
    public let prefix: String
    /// The rest of the key.
    public let name: String
    /// The hash of the bytes by ``KeyHash/process``, which has its highest bit set, or zero when it is worked out anew each time; one for
    /// a key of Larder's own.
    ///
    /// In one word, for there are many keys.
    @usableFromInline let hashOrKind: UInt64
    @inlinable static var internalKind: UInt64 { 1 }

    /// A key by its name and what stands before it.
    ///
    /// - Parameters:
    ///   - name: The key, or the part of it behind the prefix.
    ///   - prefix: Put before the name as it is; nothing is inserted between them.
    @inlinable
    public init(_ name: String, prefix: String = "") {
        self.prefix = prefix
        self.name = name
        hashOrKind = 0
    }

    /// A key of Larder's own, for side values, versions and outboxes.
    package init(reserved name: String) {
        prefix = Self.reservedPrefix
        self.name = name
        hashOrKind = Self.internalKind
    }

    /// A key whose hash by ``KeyHash/process`` is known already.
    package init(_ name: String, rememberedHash: UInt64) {
        prefix = ""
        self.name = name
        hashOrKind = rememberedHash
    }

    /// Whether this key was made by Larder itself and may lie in the reserved space.
    package var isInternal: Bool { hashOrKind == Self.internalKind }

    /// The hash of the bytes by ``KeyHash/process``, or zero.
    @inlinable @inline(__always)
    package var rememberedHash: UInt64 { Self.rememberedHash(in: hashOrKind) }

    @inlinable @inline(__always)
    static func rememberedHash(in hashOrKind: UInt64) -> UInt64 { hashOrKind > internalKind ? hashOrKind : 0 }

    /// The same key with its hash worked out, for one that is used again and again: a constant, or part of one.
    ///
    /// It equals this one and stands for the same entry. What is remembered is a number that means something in this process
    /// only and is never stored; where the entry lies is looked up each time. Prefix and name are joined.
    ///
    /// - Returns: A key that ``DeviceStore`` finds faster and other stores no slower.
    public func rememberingHash() -> StoreKey {
        // Stores tell keys of Larder's own by their parts.
        isInternal ? self : StoreKey(text, rememberedHash: withBytes { KeyHash.process($0) })
    }

    /// What every reserved key begins with.
    package static let reservedPrefix = "\u{0}larder"

    /// The whole key as one text.
    ///
    /// Builds a new string when there is a prefix.
    public var text: String { prefix.isEmpty ? name : prefix + name }

    /// The number of UTF-8 bytes of prefix and name together.
    public var length: Int { prefix.utf8.count + name.utf8.count }

    /// Whether the key begins with what is reserved for Larder.
    package var isReserved: Bool {
        // The first byte decides almost always, without building the text.
        guard firstByte == 0 else { return false }
        return text.utf8.starts(with: Self.reservedPrefix.utf8)
    }

    /// Whether it is neither too long nor anywhere near the reserved space: what most keys are, seen at a glance.
    private var isPlain: Bool { length <= Self.maximumLength && firstByte != 0 }

    /// What decides almost always whose key it is.
    package var firstByte: UInt8? {
        let text = prefix.isEmpty ? name : prefix
        return text.utf8.withContiguousStorageIfAvailable { $0.first } ?? text.utf8.first
    }

    /// Checks what every store checks before it touches anything.
    ///
    /// Stores of your own call this first in every method that takes a key.
    ///
    /// - Throws: ``StoreError`` with code `keyTooLong` or `reservedKey`.
    public func validate() throws {
        if isPlain { return }
        guard length <= Self.maximumLength else { throw StoreError.keyTooLong(self) }
        guard isInternal || !isReserved else { throw StoreError.reservedKey(self) }
    }
}

extension StoreKey: Hashable {
    /// Whether both keys have the same bytes.
    public static func == (left: StoreKey, right: StoreKey) -> Bool {
        if left.prefix.utf8.count == right.prefix.utf8.count {
            return left.name.hasSameBytes(as: right.name) && left.prefix.hasSameBytes(as: right.prefix)
        }
        return left.length == right.length && left.text.hasSameBytes(as: right.text)
    }

    /// Hashes the bytes, wherever the prefix ends.
    public func hash(into hasher: inout Hasher) {
        prefix.feedBytes(into: &hasher)
        name.hashBytes(into: &hasher)
    }
}

extension StoreKey: Comparable {
    /// Whether `left` sorts first by its bytes.
    public static func < (left: StoreKey, right: StoreKey) -> Bool { left.text.precedesByBytes(right.text) }
}

extension StoreKey: ExpressibleByStringInterpolation, CustomStringConvertible {
    /// A key without a prefix, from a string literal with or without interpolations.
    public init(stringLiteral value: String) { self.init(value) }

    /// The whole key in quotation marks, control characters escaped.
    public var description: String { text.debugDescription }
}
