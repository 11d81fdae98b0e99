package import LarderCore

/// A namespace for functions that detect encrypted stores, even in builds without encryption.
package enum EncryptedEntries {
    /// Returns whether `base` contains the entries of an `EncryptedStore`.
    ///
    /// - Throws: `StoreError` if the base can't be read.
    package static func exist(in base: any KeyValueStore) throws -> Bool {
        try base.get(ReservedRecord.encryptionHeader) != nil
    }

    /// Returns whether an `EncryptedStore` can be created in `base`.
    ///
    /// - Throws: `StoreError` if the base can't be read.
    package static func mayBegin(in base: any KeyValueStore) throws -> Bool {
        try base.get(ReservedRecord.encryptionHeader) == nil && base.get(ReservedRecord.encryptionEpoch) == nil
            && isEmpty(base)
    }

    /// Returns whether `base` has no entries and no reserved records.
    ///
    /// Reserved records are ignored if `base` can't report them.
    ///
    /// - Throws: `StoreError` if the base can't be read.
    static func isEmpty(_ base: any KeyValueStore) throws -> Bool {
        guard try base.entries().isEmpty else { return false }
        // A prefixed view is not unwrapped, because reserved records of the whole store may belong to other views.
        guard let store = base as? any ReservedRecordStore else { return true }
        return try !store.holdsReservedRecords()
    }
}

#if Encryption
import Crypto

extension EncryptedStore {
    /// Opens the encrypted store in `base` with the options that it was created with, or creates one with default options if `base` is
    /// empty.
    ///
    /// - Parameters:
    ///   - base: The store for the encrypted entries, which must not contain anything else.
    ///   - keyBytes: The bytes of the key, at least 16.
    /// - Throws: The same errors as `init(_:key:options:)`.
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
