#if Encryption
import Crypto
import LarderCore

/// The location of a key's entry in the base store.
struct EntryPlace {
    /// The key of the entry in the base store.
    let baseKey: StoreKey
    /// The name to encrypt together with the value, or `nil` if the name can be derived from `baseKey`.
    let sealedName: String?
}

/// The mapping between keys and the names under which entries are stored, as defined in the section "Names" of
/// `Documentation/Formats/encrypted-store-v1.md`.
///
/// A store doesn't list reserved keys, but a key rotation must find every entry. Therefore, reserved keys are stored under ordinary names,
/// and user keys that would collide with these names are escaped.
enum EntryName {
    private static let escape: UInt8 = 1
    private static let escapeText = "\u{1}"
    /// The beginning of the names of reserved keys.
    static let reservedPrefix = "\u{1}larder"

    /// Returns the name under which the entry for `key` is stored in the base store.
    ///
    /// The name is the key itself, unless the key is reserved or begins with the escape character.
    static func of(_ key: StoreKey) -> StoreKey {
        if isItself(key) { return key }
        return StoreKey(key.name, prefix: key.isInternal ? reservedPrefix : escapeText + key.prefix)
    }

    /// Returns whether `key` needs no escaping, so that its entry is stored under the key itself.
    static func isItself(_ key: StoreKey) -> Bool { !key.isInternal && key.firstByte != escape }

    /// Converts a prefix of keys to the corresponding prefix of entry names in the base store.
    static func ofPrefix(_ prefix: String) -> String {
        prefix.utf8.first == escape ? escapeText + prefix : prefix
    }

    /// Converts a prefix of keys to the corresponding prefix of keys in the base store.
    ///
    /// The result is empty, which matches all keys, if names are obscured.
    static func basePrefix(_ prefix: String, _ options: EncryptedStore.Options) -> String {
        options.hidesNames ? "" : ofPrefix(prefix)
    }

    /// Returns the key whose entry is stored under `name` in the base store.
    ///
    /// The key may be reserved.
    static func storeKey(_ name: String) -> StoreKey {
        key(name).map { StoreKey($0) }
            ?? StoreKey(reserved: String(decoding: name.utf8.dropFirst(reservedPrefix.utf8.count), as: UTF8.self))
    }

    /// Returns the user key whose entry is stored under `name` in the base store, or `nil` if `name` belongs to a reserved key.
    static func key(_ name: String) -> String? {
        guard name.utf8.first == escape else { return name }
        if name.utf8.starts(with: reservedPrefix.utf8) { return nil }
        return String(decoding: name.utf8.dropFirst(), as: UTF8.self)
    }
}

/// The mapping from keys to their entries in the base store, which is fixed while a store is open.
struct EntryNames: Sendable {
    /// The HMAC key used to obscure key names, or `nil` if names are stored in plaintext.
    let hidingKey: SymmetricKey?

    /// Returns whether the entry for `key` is stored under `key` itself in the base store.
    func keepsKey(_ key: StoreKey) -> Bool { hidingKey == nil && EntryName.isItself(key) }

    /// Returns the location of the entry for `key` in the base store.
    func place(of key: StoreKey) -> EntryPlace {
        let name = EntryName.of(key)
        guard let hidingKey else { return EntryPlace(baseKey: name, sealedName: nil) }
        let text = name.text
        return EntryPlace(baseKey: StoreKey(Self.hidden(text, by: hidingKey)), sealedName: text)
    }

    private static func hidden(_ name: String, by key: SymmetricKey) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array(name.utf8), using: key)
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: code.prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }
}
#endif
