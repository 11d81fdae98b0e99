#if Encryption
public import LarderCore

extension StoreError.Code {
    /// The given key can't decrypt the header of the encrypted store.
    ///
    /// Nothing was changed.
    public static let wrongKey = StoreError.Code("wrongKey")
}

extension StoreError {
    static let wrongKey = StoreError(
        .wrongKey,
        "The key can't decrypt the encrypted store. Use the key that the store was created with, or the new key if the key was changed."
    )

    static let weakKey = StoreError(
        .invalidConfiguration,
        "The key of an encrypted store must have at least 128 bits. Create one with `SymmetricKey(size: .bits256)`."
    )

    /// Returns the error for a key change that could not be synced to disk.
    ///
    /// The error has the code of the base store's error, except that `busy` becomes `inputOutput`, because callers retry after `busy`.
    static func unconfirmedKey(by error: any Error) -> StoreError {
        let code = (error as? StoreError)?.code ?? .inputOutput
        return StoreError(
            code == .busy ? .inputOutput : code,
            "The key was changed, but the change could not be synced to disk. Keep both keys, because either may be valid after a power loss.",
            path: (error as? StoreError)?.path,
            underlying: error
        )
    }

    static let otherOptions = StoreError(
        .invalidConfiguration,
        "The encrypted store was created with a different cipher or a different setting for hidden names. Open the store with the options that it was created with."
    )

    static let notEncrypted = StoreError(
        .invalidConfiguration,
        "The base store can't be encrypted because it holds entries or internal records that no EncryptedStore wrote. Use an empty store, or a PrefixedStore of this store."
    )

    static let baseWithoutData = StoreError(
        .invalidConfiguration,
        "The base store does not preserve data values exactly, which encryption requires. Choose another store."
    )

    static let replicatedBase = StoreError(
        .invalidConfiguration,
        "The base store is replicated, and the cluster could refuse the session with which this machine has encrypted values, which could then not be read. Choose a base that is not replicated."
    )

    static let newerEncryption = StoreError(
        .newerFormat,
        "The encrypted store can't be opened because a newer version of Larder wrote it. Update Larder in this program."
    )

    static let damagedHeader = StoreError(
        .damaged,
        "The header of the encrypted store is corrupt or missing, so no value can be decrypted. Restore a backup."
    )

    static let replacedStore = StoreError(
        .damaged,
        "The encrypted store was replaced with another encrypted store in the same base store. Open the store again."
    )

    static let rolledBackStore = StoreError(
        .damaged,
        "The encrypted store was replaced with an older copy while it was open. Open the store again."
    )

    static func damagedSessions(_ reason: String) -> StoreError {
        StoreError(
            .damaged,
            "\(reason), so nothing can be written. All values can still be read; copy them to a new store."
        )
    }

    static func damagedSeal(_ key: String) -> StoreError {
        StoreError(
            .damaged,
            "The value for \(key.debugDescription) can't be decrypted because it is corrupt, or was moved or tampered with. Set the value again, or restore a backup.",
            key: key
        )
    }
}
#endif
