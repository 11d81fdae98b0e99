#if Encryption
import LarderCore

extension StoreLimits {
    /// The number of bytes of the expectation that each commit adds, at most.
    private static let epochBytes = 128
    /// The number of bytes of a hidden name in the base.
    private static let hiddenNameLength = 32

    /// Returns the limits of batches whose entries fit within these limits after encryption.
    func ofEncryptedEntries(_ options: EncryptedStore.Options) -> StoreLimits {
        var limits = self
        // Each commit expects the epoch.
        if operations < .max { limits.operations = max(1, operations - 1) }
        if bytes < .max {
            // A rotation commits the former and the new bytes of a value. The smallest operation grows to less than 2.5 times its size.
            limits.bytes = max(0, bytes / 5 * 2 - 2 * Self.epochBytes)
        }
        if options.hidesNames, keyLength >= Self.hiddenNameLength {
            limits.keyLength = StoreKey.maximumLength
            limits.allowsEmptyKeys = true
        }
        return limits
    }

    /// Checks that a batch is within these limits.
    ///
    /// - Throws: `StoreError` with code `batchTooLarge`.
    func check(_ batch: StoreBatch) throws {
        guard operations < .max || bytes < .max else { return }
        var (count, size) = (0, 0)
        func add(_ keyLength: Int, _ value: StoredValue?) {
            count += 1
            size += keyLength + (value?.encodedSize ?? 0) + Self.bytesOfEachOperation
        }
        for write in batch.writes { add(write.key.length, write.value) }
        for expectation in batch.expectations {
            switch expectation {
            case .value(let value, let key): add(key.length, value)
            case .entries(let entries, let prefix):
                add(prefix.utf8.count, nil)
                for entry in entries { add(entry.key.utf8.count, entry.value) }
            }
        }
        guard count <= operations else { throw StoreError.largeBatch("operations", operations) }
        guard size <= bytes else { throw StoreError.largeBatch("bytes", bytes) }
    }
}
#endif
