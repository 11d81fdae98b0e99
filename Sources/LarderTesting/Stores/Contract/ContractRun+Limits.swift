import LarderCore

extension ContractRun {
    func replicatedDurability(_ store: any KeyValueStore) async throws {
        try store.set(1, for: "a")
        if store.capabilities.replicates {
            do {
                try await store.set(2, for: "a", durability: .replicated)
                try requireValue(2, at: "a", in: store)
            } catch let error as StoreError where error.code == .notConfirmed {}
        } else {
            do {
                try await store.set(2, for: "a", durability: .replicated)
                try require(false, "a store that replicates nothing should refuse a replicated commit")
            } catch let error as StoreError {
                try require(
                    error.code == .notReplicated,
                    "a replicated commit should be refused with code notReplicated, but was refused with code \(error.code)"
                )
            }
            try blockingReplicatedDurability(store)
        }
    }

    private func blockingReplicatedDurability(_ store: any KeyValueStore) throws {
        try requireRefusal(.notReplicated, of: "a replicated commit", by: store) {
            try store.set(3, for: "a", durability: .replicated)
        }
    }

    func limitsAreEnforced(_ store: any KeyValueStore) throws {
        guard let limits = store.capabilities.limits else { return }
        try store.set(1, for: "kept")
        if limits.operations < 100_000 {
            var batch = StoreBatch()
            for number in 0...limits.operations { batch.set(.int(Int64(number)), for: StoreKey("key.\(number)")) }
            try requireRefusal(.batchTooLarge, of: "a batch with too many writes", by: store) {
                _ = try store.commit(batch)
            }
        }
        if limits.bytes < 100_000_000 {
            try requireRefusal(.batchTooLarge, of: "a batch with too many bytes", by: store) {
                try store.set(.string(String(repeating: "x", count: limits.bytes)), for: "kept")
            }
        }
        if !limits.allowsEmptyKeys {
            try requireRefusal(.unsupportedKey, of: "an empty key", by: store) { try store.set(1, for: "") }
        }
        if limits.keyLength < StoreKey.maximumLength {
            let key = String(repeating: "k", count: limits.keyLength + 1)
            try requireRefusal(.unsupportedKey, of: "a key beyond the limit", by: store) { try store.set(1, for: key) }
        }
        try requireValue(1, at: "kept", in: store)
    }

    // MARK: - Respecting limits

    /// Commits the writes of `batch`, in several commits if the store limits the number of operations.
    func commitInParts(_ batch: StoreBatch, to store: any KeyValueStore) throws {
        let limit = min(store.capabilities.limits?.operations ?? .max, batch.writes.count)
        var part = StoreBatch()
        for write in batch.writes {
            part.write(write.value, for: write.key)
            guard part.writes.count == limit else { continue }
            _ = try store.commit(part)
            part = StoreBatch()
        }
        if !part.writes.isEmpty { _ = try store.commit(part) }
    }
}

extension KeyValueStore {
    /// Returns whether the limits that the store declares allow the key.
    func admits(_ key: String) -> Bool {
        guard let limits = capabilities.limits else { return true }
        return key.utf8.count <= limits.keyLength && (limits.allowsEmptyKeys || !key.isEmpty)
    }
}
