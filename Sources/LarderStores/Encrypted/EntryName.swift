#if Encryption
import Crypto
import LarderCore

/// Where an entry lies in the base.
struct EntryPlace {
    /// Its key there.
    let baseKey: StoreKey
    /// The name that is sealed with the value, when `baseKey` does not show it.
    let sealedName: String?
}

/// How keys of an encrypted store become names: the section "Names" of Documentation/Formats/encrypted-store-v1.md.
///
/// Larder's own keys can't be listed in any store. Here they lie under names that can, in front of which users' keys make room,
/// because a rotation must find every entry.
enum EntryName {
    private static let escape: UInt8 = 1
    private static let escapeText = "\u{1}"
    private static let internalPrefix = "\u{1}larder"

    /// The name of a key, as a key of the base: itself, but for keys of Larder's own and those that would be taken for one.
    static func of(_ key: StoreKey) -> StoreKey {
        if isItself(key) { return key }
        return StoreKey(key.name, prefix: key.isInternal ? internalPrefix : escapeText + key.prefix)
    }

    /// Whether a key is its own name, as nearly all are.
    static func isItself(_ key: StoreKey) -> Bool { !key.isInternal && key.firstByte != escape }

    /// What the names of all keys begin with that begin with `prefix`.
    static func ofPrefix(_ prefix: String) -> String {
        prefix.utf8.first == escape ? escapeText + prefix : prefix
    }

    /// The key of a name, Larder's own included.
    static func storeKey(_ name: String) -> StoreKey {
        key(name).map { StoreKey($0) }
            ?? StoreKey(reserved: String(decoding: name.utf8.dropFirst(internalPrefix.utf8.count), as: UTF8.self))
    }

    /// The user's key of a name, or `nil` for one of Larder's own.
    static func key(_ name: String) -> String? {
        guard name.utf8.first == escape else { return name }
        if name.utf8.starts(with: internalPrefix.utf8) { return nil }
        return String(decoding: name.utf8.dropFirst(), as: UTF8.self)
    }
}

/// Where the entries of one store lie: the same for its whole life, so that no call asks the key ring for it.
struct EntryNames: Sendable {
    /// What names are hidden with, if they are.
    let hidingKey: SymmetricKey?

    /// Whether the entry of a key lies under that very key.
    func keep(_ key: StoreKey) -> Bool { hidingKey == nil && EntryName.isItself(key) }

    /// Where the entry of a key lies.
    func place(of key: StoreKey) -> EntryPlace {
        let name = EntryName.of(key)
        guard let hidingKey else { return EntryPlace(baseKey: name, sealedName: nil) }
        let text = name.text
        return EntryPlace(baseKey: StoreKey(Self.hidden(text, by: hidingKey)), sealedName: text)
    }

    /// What the keys in the base begin with whose entries may have keys that begin with `prefix`.
    func basePrefix(_ prefix: String) -> String { hidingKey == nil ? EntryName.ofPrefix(prefix) : "" }

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
