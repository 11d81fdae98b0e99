#if Encryption
public import LarderCore

extension StoreError.Code {
    /// The given key doesn't open the encrypted store.
    ///
    /// Nothing was changed.
    public static let wrongKey = StoreError.Code("wrongKey")
}

extension StoreError {
    static let wrongKey = StoreError(
        .wrongKey,
        "The key does not open the encrypted store. Use the key that the store was created with or last changed to."
    )

    static let weakKey = StoreError(
        .invalidConfiguration,
        "The key of an encrypted store must have at least 128 bits. Create one with `SymmetricKey(size: .bits256)`."
    )

    /// Returns the error for a key change that the disk did not confirm.
    ///
    /// The error has the code of the base store's error, except for `busy`, because callers retry after `busy`.
    static func unconfirmedKey(by error: any Error) -> StoreError {
        let code = (error as? StoreError)?.code ?? .inputOutput
        return StoreError(
            code == .busy ? .inputOutput : code,
            "The key was changed, but the disk did not confirm it. Keep both keys, because the former key may open the store after a power loss.",
            path: (error as? StoreError)?.path,
            underlying: error
        )
    }

    static let otherOptions = StoreError(
        .invalidConfiguration,
        "The encrypted store was created with a different cipher or a different setting for hidden names. Open it with the options it was created with."
    )

    static let notEncrypted = StoreError(
        .invalidConfiguration,
        "The base store holds entries, or internal records of Larder, that no EncryptedStore wrote. Use an empty store, or a PrefixedStore of this one."
    )

    static let baseWithoutData = StoreError(
        .invalidConfiguration,
        "The base store does not preserve data values exactly, which encryption requires. Choose another store."
    )

    static let newerEncryption = StoreError(
        .newerFormat,
        "A newer version of Larder wrote the encrypted store. Update this program."
    )

    static let damagedHeader = StoreError(
        .damaged,
        "The header of the encrypted store is damaged or missing, so no value can be decrypted. Restore a backup."
    )

    static let replacedStore = StoreError(
        .damaged,
        "Another encrypted store has replaced this one in the base store. Open the store again."
    )

    static let rolledBackStore = StoreError(
        .damaged,
        "The encrypted store was replaced with an older copy while it was open. Open the store again."
    )

    static func damagedSessions(_ reason: String) -> StoreError {
        StoreError(
            .damaged,
            "\(reason), so nothing can be written. Copy all values, which can still be read, into a new store."
        )
    }

    static func damagedSeal(_ key: String) -> StoreError {
        StoreError(
            .damaged,
            "The value for \(key.debugDescription) was damaged, moved or tampered with and can't be decrypted. Set it again, or restore a backup.",
            key: key
        )
    }
}
#endif
