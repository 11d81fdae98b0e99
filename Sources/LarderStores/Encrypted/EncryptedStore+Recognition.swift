package import LarderCore

/// Telling an encrypted store from another one; also in a build without encryption.
package enum EncryptedEntries {
    /// Whether an `EncryptedStore` keeps its values in `base`.
    ///
    /// - Throws: ``StoreError`` when the base can't be read.
    package static func lie(in base: any KeyValueStore) throws -> Bool {
        try base.get(ReservedRecord.encryptionHeader) != nil
    }

    /// Whether `base` is as empty as one in which an `EncryptedStore` begins, and writes.
    ///
    /// - Throws: ``StoreError`` when the base can't be read.
    package static func mayBegin(in base: any KeyValueStore) throws -> Bool {
        try base.get(ReservedRecord.encryptionHeader) == nil && base.get(ReservedRecord.encryptionEpoch) == nil
            && isEmpty(base)
    }

    /// Whether `base` holds nothing, and no records of Larder's own either, where `base` can tell.
    ///
    /// - Throws: ``StoreError`` when the base can't be read.
    static func isEmpty(_ base: any KeyValueStore) throws -> Bool {
        guard try base.entries().isEmpty else { return false }
        // Not the one beneath a part of a store: records there may be those of other parts.
        guard let store = base as? any ReservedRecordStore else { return true }
        return try !store.holdsReservedRecords()
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
        if case .data(let header)? = try base.get(ReservedRecord.encryptionHeader) {
            options = try KeyRing(header: header, userKey: key).options
        }
        try self.init(base, key: key, options: options)
    }
}
#endif
