public import LarderCore
import LarderFiles

extension DeviceStore {
    /// Returns the value stored under `key`, or `nil` if there is no value or the value has expired.
    ///
    /// Numbers, Booleans, dates, and strings of up to 15 bytes that do not expire are read without a lock. Reading other values requires a
    /// lock that only the threads of this process share. A read makes no system call, unless another process has written or the value is
    /// larger than 16 KiB.
    ///
    /// To see commits made by other processes, a read waits for a commit that is in progress in this process. The commit in turn may wait
    /// up to five seconds for a process that was suspended while committing.
    ///
    /// - Parameter key: The key, which must pass `StoreKey.validate()`. Hashing is faster for a key returned by
    ///   `StoreKey.rememberingHash()`.
    /// - Returns: The value exactly as it was written, or `nil`.
    /// - Throws: `StoreError` if the key is invalid or commits made by another process can't be read. The code is `damaged` if a large
    ///   value is corrupt.
    public func get(_ key: StoreKey) throws -> StoredValue? {
        switch key.withWords({ look($0, key.rememberedHash) }) {
        case .value(let value): return value.copied
        case .absent: return nil
        case .held(let number, let sequence): return try string(number, at: sequence) ?? getUnderLock(key)
        case .unsure: return try getUnderLock(key)
        }
    }

    /// Returns the value stored under `key`, or `nil` if there is no value or the value has expired.
    ///
    /// - Parameter key: The full key, which must pass `StoreKey.validate()`.
    /// - Returns: The value exactly as it was written, or `nil`.
    /// - Throws: `StoreError` under the same conditions as the overload that takes a `StoreKey`.
    public func get(_ key: String) throws -> StoredValue? {
        switch key.utf8.withContiguousStorageIfAvailable({ look(KeyWords(UnsafeRawBufferPointer($0)), 0) }) ?? .unsure {
        case .value(let value): return value.copied
        case .absent: return nil
        case .held(let number, let sequence):
            return try string(number, at: sequence) ?? getUnderLock(StoreKey(key))
        case .unsure: return try getUnderLock(StoreKey(key))
        }
    }

    private func look(_ key: KeyWords, _ rememberedHash: UInt64) -> IndexView.Answer {
        // Unusual keys take the slow path, which validates them.
        guard key.count <= LogFormat.maximumKeyLength, key.firstByte != 0, isPlainlyOpen else { return .unsure }
        return view.find(key, hashed: rememberedHash != 0 ? rememberedHash : view.hash.of(key))
    }

    private func getUnderLock(_ key: StoreKey) throws -> StoredValue? {
        try checkOpen()
        return try engine.enter { try Reading.value(key, &$0) }
    }

    private func string(_ number: Int, at sequence: UInt64) -> StoredValue? {
        engine.enter { Reading.string(number, at: sequence, &$0) }
    }
}
