/// The names and keys of Larder's internal records, which listings omit.
package enum ReservedRecord {
    /// The key of the header record of an `EncryptedStore`.
    package static let encryptionHeader = StoreKey(reserved: ".encrypted")
    /// The key under which an `EncryptedStore` stores its epoch, a counter that is written in the same commit as the header.
    package static let encryptionEpoch = StoreKey(reserved: ".encrypted.epoch")
    /// The prefix that a `PrefixedStore` adds to the keys of internal records.
    package static let view = StoreKey(reserved: ".view:")

    /// Returns the name of an internal record, which is its key without the leading U+0000.
    package static func name(of key: UnsafeRawBufferPointer) -> String {
        String(decoding: key.dropFirst(), as: UTF8.self)
    }

    /// Returns whether a record with this name may belong to an `EncryptedStore`, possibly one inside a `PrefixedStore`.
    package static func mayBelongToEncryption(_ name: String) -> Bool {
        let header = encryptionHeader.withBytes(self.name)
        return name.hasPrefix(header)
            || name.hasPrefix(view.withBytes(self.name)) && name.contains(encryptionHeader.name)
    }
}

/// A store that can report whether it contains internal records, which listings omit.
package protocol ReservedRecordStore: KeyValueStore {
    /// Returns whether the store contains internal records of Larder.
    ///
    /// - Throws: ``StoreError`` if the store cannot be read.
    func holdsReservedRecords() throws -> Bool
}
