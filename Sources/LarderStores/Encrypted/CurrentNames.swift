#if Encryption
import LarderCore

/// The mapping of names that an operation uses from its beginning to its end.
struct CurrentNames {
    let names: EntryNames
    /// The header that the names belong to, or `nil` if the names of the store never change.
    let header: Header?

    struct Header {
        /// The epoch of the key ring.
        let epoch: UInt64
        /// The record of the epoch in the base, which is `nil` before the header is stored.
        let stored: StoredValue?
    }
}

extension EncryptedStore {
    /// Returns the mapping of names that belongs to the header in the base.
    func currentNames() throws -> CurrentNames {
        if let fixedNames { return CurrentNames(names: fixedNames, header: nil) }
        while true {
            let ring = self.ring
            let stored = try base.get(Self.epochKey)
            guard stored == nil || stored == ring.epochValue else {
                if try storedHeader() == nil, try base.get(Self.epochKey) != nil { throw StoreError.damagedHeader }
                continue
            }
            return CurrentNames(
                names: EntryNames(hidingKey: ring.nameKey),
                header: .init(epoch: ring.epoch, stored: stored)
            )
        }
    }

    /// Returns whether the header in the base is still the one that names belong to.
    func isCurrent(_ names: CurrentNames) throws -> Bool {
        guard let header = names.header else { return true }
        return try base.get(Self.epochKey) == header.stored
    }
}
#endif
