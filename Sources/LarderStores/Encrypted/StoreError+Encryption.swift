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

    static let unsharedFormat = StoreError(
        .invalidConfiguration,
        "The base store is replicated, but its values were encrypted in the format for a store of one machine. Copy the values into a new encrypted store."
    )

    static let changeNeedsCluster = StoreError(
        .invalidConfiguration,
        "The cluster must confirm changes of the keys of an encrypted store, which this call can't wait for. Call `try await changeKey(to:)` or `try await rotateDataKey()` in an asynchronous function."
    )

    static let unknownConfirmation = StoreError(
        .invalidConfiguration,
        "The data key can't be rotated, because the base store does not tell which of its values the cluster has confirmed. Create the encrypted store on the `ReplicatedStore` itself, or on a `PrefixedStore` of it."
    )

    /// Returns the error for a key change whose outcome is unknown.
    static func unconfirmedKeyChange(by error: StoreError) -> StoreError {
        StoreError(
            .notConfirmed,
            "The cluster did not confirm in time that the key was changed. Keep both keys, and call `changeKey(to:)` again when the cluster can be reached.",
            underlying: error
        )
    }

    static func largeBatch(_ what: String, _ limit: Int) -> StoreError {
        StoreError(
            .batchTooLarge,
            "The batch has too many \(what): the encrypted store allows \(limit) in one commit, so that the cluster can hold them encrypted. Split the batch into several commits."
        )
    }

    static func localRecord(_ key: String) -> StoreError {
        StoreError(
            .unsupportedKey,
            "The record \(key.debugDescription) stays on this machine, and an encrypted store in a cluster can only hold what all machines share. Use a store of this machine for it, such as an `EncryptedStore` on a `DeviceStore` for an outbox.",
            key: key
        )
    }

    static func supersededSeal(_ key: String) -> StoreError {
        StoreError(
            .busy,
            "This machine wrote the value for \(key.debugDescription) before another machine rotated the data key, so the cluster will refuse the value. Try again when it was rolled back, that is, after the next contact.",
            key: key
        )
    }

    static func unknownSeal(_ key: String) -> StoreError {
        StoreError(
            .damaged,
            "The value for \(key.debugDescription) can't be decrypted: its data key is not, or no longer, that of the store, or the value is corrupt. Try an instance that has been open since the value was written, or write the value again.",
            key: key
        )
    }

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
