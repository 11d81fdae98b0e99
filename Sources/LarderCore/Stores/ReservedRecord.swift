/// The names and keys of Larder's internal records, which listings omit.
package enum ReservedRecord {
    /// The key of the header record of an `EncryptedStore`.
    package static let encryptionHeader = StoreKey(reserved: ".encrypted")
    /// The key under which an `EncryptedStore` stores its epoch, a counter that is written in the same commit as the header.
    package static let encryptionEpoch = StoreKey(reserved: ".encrypted.epoch")
    /// The prefix that a `PrefixedStore` adds to the keys of internal records.
    package static let view = StoreKey(reserved: ".view:")

    /// The first part of the name of each record that a replicated store keeps about its cluster.
    package static let replica = ".replica"

    /// Returns whether the record under a reserved key belongs to the data, and is therefore replicated with the data.
    ///
    /// Records that coordinate the processes of one machine stay local: outboxes with their leases, and the queue and cursor of a
    /// replicated store.
    ///
    /// - Parameter key: A key in the reserved namespace.
    /// - Returns: Whether the record is replicated.
    package static func isReplicated(_ key: StoreKey) -> Bool {
        var name = Substring(key.text.dropFirst("\u{0}larder".count))
        // The name of a record in a prefixed store: the length of the prefix in bytes, the prefix, and the name in the inner store.
        while name.hasPrefix(viewName) {
            let rest = name.dropFirst(viewName.count)
            guard let colon = rest.firstIndex(of: ":"), let length = Int(rest[..<colon]) else { return false }
            name = Substring(decoding: rest[rest.index(after: colon)...].utf8.dropFirst(length), as: UTF8.self)
        }
        return replicatedNames.contains { name.hasPrefix($0) }
    }

    private static let viewName = ".view:"
    /// The first parts of the names of records that describe the values in a store: the encryption header with its sessions, the state of
    /// typed defaults, and the markers of migrations that are written with the migrated values.
    private static let replicatedNames = [".encrypted", ".defaults.", ".migrated."]

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
