public import LarderCore
import LarderFiles

extension DeviceStore {
    /// The value under `key`, or `nil` when there is none.
    ///
    /// A number, truth value, date or text of up to 15 bytes that does not expire is read without a lock: a few atomic loads, a hash
    /// of the key unless it remembers its own (``StoreKey/rememberingHash()``), and a lookup. Other values take a lock that only
    /// this process's threads share. No system call, unless another process has written or the value takes more than 16 KiB. What another
    /// process has written is read after what this process is writing: where that waits for a process that was stopped in the middle of a
    /// commit, for as long, five seconds at most.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Returns: The value exactly as it was set; `nil` as well once its expiry has passed.
    /// - Throws: ``StoreError`` for a key that can't be one, when what another process wrote can't be read, or `damaged` for a
    ///   large value that is not as it was written.
    public func get(_ key: StoreKey) throws -> StoredValue? {
        switch key.withBytes({ look($0, key.rememberedHash) }) {
        case .value(let value): return value.copied
        case .absent: return nil
        case .held(let number, let sequence): return try string(number, at: sequence) ?? getUnderLock(key)
        case .unsure: return try getUnderLock(key)
        }
    }

    /// The value under `key`, or `nil` when there is none.
    ///
    /// - Parameter key: The whole key, checked as ``StoreKey/validate()`` does.
    /// - Returns: The value exactly as it was set; `nil` as well once its expiry has passed.
    /// - Throws: ``StoreError``, as for a ``StoreKey``.
    public func get(_ key: String) throws -> StoredValue? {
        switch key.utf8.withContiguousStorageIfAvailable({ look(UnsafeRawBufferPointer($0), 0) }) ?? .unsure {
        case .value(let value): return value.copied
        case .absent: return nil
        case .held(let number, let sequence):
            return try string(number, at: sequence) ?? getUnderLock(StoreKey(key))
        case .unsure: return try getUnderLock(StoreKey(key))
        }
    }

    @inline(__always)
    private func look(_ key: UnsafeRawBufferPointer, _ rememberedHash: UInt64) -> IndexView.Answer {
        // Whatever is not plain is asked again, and refused there.
        guard key.count <= LogFormat.maximumKeyLength, key.first != 0, isPlainlyOpen else { return .unsure }
        return view.find(KeyWords(key), hashed: rememberedHash != 0 ? rememberedHash : view.hash(key))
    }

    @inline(never)
    private func getUnderLock(_ key: StoreKey) throws -> StoredValue? {
        try checkOpen()
        return try engine.enter { try Reading.value(key, &$0) }
    }

    @inline(__always)
    private func string(_ number: Int, at sequence: UInt64) -> StoredValue? {
        engine.enter { Reading.string(number, at: sequence, &$0) }
    }
}
