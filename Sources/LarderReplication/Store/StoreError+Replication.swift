import LarderCore

extension StoreError {
    static func damagedRecord(
        _ key: StoreKey,
        in replica: any KeyValueStore,
        _ failure: RecordReader.Failure
    ) -> StoreError {
        let name = replica.inspectionName.debugDescription
        if failure == .newerVersion {
            return StoreError(
                .newerFormat,
                "The replica \(name) was written by a newer version of Larder. Update Larder to use the replica.",
                key: key.text
            )
        }
        return StoreError(
            .damaged,
            "The record \(key) in the replica \(name) is corrupt. Nothing was changed. Delete the replica to load it from the cluster again; commits that the cluster has not confirmed are then lost.",
            key: key.text
        )
    }

    static func foreignEntry(_ key: [UInt8], underlying: (any Error)? = nil) -> StoreError {
        let text = String(decoding: key, as: UTF8.self)
        // Bytes that are not UTF-8 are printed as hexadecimal digits, because an administrator has to find them in the cluster.
        let name =
            String(validating: key, as: UTF8.self).map { String($0.prefix(64)).debugDescription }
            ?? "the bytes " + key.prefix(64).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return StoreError(
            .damaged,
            "The cluster has an entry under \(name) that this version of Larder can't read, so its commits can't be applied from there on. Pending commits are kept. Update Larder, or remove the entry from the cluster and from its history.",
            key: text,
            underlying: underlying
        )
    }

    static func otherCluster(_ replica: any KeyValueStore, _ engine: String) -> StoreError {
        StoreError(
            .invalidConfiguration,
            "The replica \(replica.inspectionName.debugDescription) belongs to another store than the one at \(engine). Use a new replica for this store, or the address of the former one."
        )
    }

    static func notAReplica(_ store: any KeyValueStore) -> StoreError {
        StoreError(
            .invalidConfiguration,
            "The store \(store.inspectionName.debugDescription) has entries that no replicated store has written, and which the cluster would replace. Use a new file for the replica, then copy the entries into the replicated store."
        )
    }

    static func queueFull(commits limit: Int) -> StoreError {
        StoreError(
            .queueFull,
            "The limit of commits that wait for the cluster (\(limit)) is reached. Check the connection and that `run()` is running, or raise `maximumPending`."
        )
    }

    static func queueFull(bytes limit: Int) -> StoreError {
        StoreError(
            .queueFull,
            "The limit of bytes in commits that wait for the cluster (\(limit)) is reached. Check the connection and that `run()` is running, or raise `maximumPendingBytes`."
        )
    }

    static func batchTooLarge(_ what: String, _ limit: Int) -> StoreError {
        StoreError(
            .batchTooLarge,
            "The batch has too many \(what): the cluster allows \(limit) in one commit. Split the batch into several commits."
        )
    }

    static func unsupportedKey(_ key: StoreKey, _ reason: String) -> StoreError {
        StoreError(
            .unsupportedKey,
            "The cluster can't hold the key \(key), because \(reason). Use another key.",
            key: key.text
        )
    }

    static let busyReplica = StoreError(
        .busy,
        "Other commits changed the replica during each attempt. Try again."
    )
}
