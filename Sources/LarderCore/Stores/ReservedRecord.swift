/// Names and keys of records that parts of Larder keep in a store, under keys that no listing shows.
///
/// An engine knows none of the parts, and a part knows no engine; what both must agree on is here.
package enum ReservedRecord {
    /// The header of an `EncryptedStore`.
    package static let encryptionHeader = StoreKey(reserved: ".encrypted")
    /// The epoch of an `EncryptedStore`, written in the same commit as its header.
    package static let encryptionEpoch = StoreKey(reserved: ".encrypted.epoch")
    /// What the keys of records in a `PrefixedStore` begin with.
    package static let view = StoreKey(reserved: ".view:")

    /// Returns the name of a record, by the bytes of its key: the key without the U+0000 that it begins with.
    package static func name(of key: UnsafeRawBufferPointer) -> String {
        String(decoding: key.dropFirst(), as: UTF8.self)
    }

    /// Returns whether a record of that name may belong to an `EncryptedStore`, or to one in a part of a store.
    package static func mayBelongToEncryption(_ name: String) -> Bool {
        let header = encryptionHeader.withBytes(self.name)
        return name.hasPrefix(header)
            || name.hasPrefix(view.withBytes(self.name)) && name.contains(encryptionHeader.name)
    }
}

/// A store that can tell whether it holds records of Larder's own, which no listing shows.
package protocol ReservedRecordStore: KeyValueStore {
    /// Returns whether the store holds records of Larder's own.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read.
    func holdsReservedRecords() throws -> Bool
}
