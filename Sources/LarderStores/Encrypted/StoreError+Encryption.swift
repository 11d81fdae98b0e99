#if Encryption
public import LarderCore

extension StoreError.Code {
    /// The key given is not the one the store was encrypted with.
    ///
    /// Nothing was changed.
    public static let wrongKey = StoreError.Code("wrongKey")
}

extension StoreError {
    static let wrongKey = StoreError(
        .wrongKey,
        "This key does not open the encrypted store: give the key it was made with, or last changed to."
    )

    static let weakKey = StoreError(
        .invalidConfiguration,
        "The key of an encrypted store has at least 128 bits: make one with SymmetricKey(size: .bits256)."
    )

    /// The code is the base's, as of every commit that was made and not confirmed; but never one after which one tries again.
    static func unconfirmedKey(by error: any Error) -> StoreError {
        let code = (error as? StoreError)?.code ?? .inputOutput
        return StoreError(
            code == .busy ? .inputOutput : code,
            "The key was changed, but the disk did not confirm it: keep both keys, for after a power loss it may be the former one that opens the store.",
            path: (error as? StoreError)?.path,
            underlying: error
        )
    }

    static let otherOptions = StoreError(
        .invalidConfiguration,
        "The encrypted store was made with another cipher, or with the other choice for names: open it with the same options."
    )

    static let notEncrypted = StoreError(
        .invalidConfiguration,
        "The store beneath holds values, or records of Larder's own, that no EncryptedStore wrote: give it an empty one, or a PrefixedStore over this one."
    )

    static let baseWithoutData = StoreError(
        .invalidConfiguration,
        "The store beneath does not hold data exactly, and what is sealed is data: choose another store."
    )

    static let newerEncryption = StoreError(
        .newerFormat,
        "The encrypted store was written by a newer version of Larder: update the program that reads it."
    )

    static let damagedHeader = StoreError(
        .damaged,
        "The header of the encrypted store is damaged or gone, and no value can be opened without it: restore a backup."
    )

    static let replacedStore = StoreError(
        .damaged,
        "Another encrypted store has taken this one's place in the store beneath: open it anew."
    )

    static let rolledBackStore = StoreError(
        .damaged,
        "An older copy of the store has been put in its place while it was open: open it anew."
    )

    static func damagedSessions(_ reason: String) -> StoreError {
        StoreError(
            .damaged,
            "\(reason), so that nothing more can be sealed; what is there can still be read: copy it into a new store."
        )
    }

    static func damagedSeal(_ key: String) -> StoreError {
        StoreError(
            .damaged,
            "The value for \(key.debugDescription) is not what was sealed there, so it was damaged, moved or tampered with: set it anew or restore a backup.",
            key: key
        )
    }
}
#endif
