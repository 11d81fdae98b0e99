package import LarderCore

/// Telling an encrypted store from another one; also in a build without encryption.
package enum EncryptedEntries {
    /// What an encrypted store keeps its header under.
    static let headerKey = StoreKey(reserved: ".encrypted")
    /// What it keeps its epoch under, from the same commit on.
    static let epochKey = StoreKey(reserved: ".encrypted.epoch")

    /// Whether an `EncryptedStore` keeps its values in `base`.
    ///
    /// - Throws: ``StoreError`` when the base can't be read.
    package static func lie(in base: any KeyValueStore) throws -> Bool { try base.get(headerKey) != nil }

    /// Whether `base` is as empty as one in which an `EncryptedStore` begins, and writes.
    ///
    /// - Throws: ``StoreError`` when the base can't be read.
    package static func mayBegin(in base: any KeyValueStore) throws -> Bool {
        try base.get(headerKey) == nil && base.get(epochKey) == nil && isEmpty(base)
    }

    /// Whether `base` holds nothing; of a device store, not even records of Larder's own, which others don't list.
    ///
    /// - Throws: ``StoreError`` when the base can't be read.
    static func isEmpty(_ base: any KeyValueStore) throws -> Bool {
        guard try base.entries().isEmpty else { return false }
        // Not the one beneath a part of a store: records there may be those of other parts.
        guard let device = base as? DeviceStore else { return true }
        return try !device.engine.holdsReservedRecords()
    }

    /// Whether the record that ``DeviceStoreDamage/recordsInDoubt`` names so is one of an encrypted store, or of one in a part of a store.
    static func mayOwn(_ recordName: String) -> Bool {
        recordName.hasPrefix(headerKey.recordName)
            || recordName.hasPrefix(PrefixedStore.roomKey.recordName) && recordName.contains(headerKey.name)
    }
}

extension DeviceStore {
    /// The device store that `store` is or is a part of, if it is one.
    static func beneath(_ store: any KeyValueStore) -> DeviceStore? {
        var store = store
        while let part = store as? PrefixedStore { store = part.base }
        return store as? DeviceStore
    }
}

#if Encryption
import Crypto

extension EncryptedStore {
    /// Opens the encrypted store in `base` with the options it was made with; in an empty one makes a new one with the defaults.
    ///
    /// - Parameters:
    ///   - base: Holds what is sealed, and nothing else.
    ///   - keyBytes: The key, at least 16 bytes.
    /// - Throws: ``StoreError``, as `init(_:key:options:)`.
    package convenience init(opening base: any KeyValueStore, keyBytes: [UInt8]) throws {
        let key = SymmetricKey(data: keyBytes)
        var options = Options()
        if case .data(let header)? = try base.get(EncryptedEntries.headerKey) {
            options = try KeyRing(header: header, userKey: key).options
        }
        try self.init(base, key: key, options: options)
    }
}
#endif
