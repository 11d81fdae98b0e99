#if Encryption
public import Crypto
import LarderCore
import LarderFiles
import Synchronization

extension EncryptedStore {
    /// Replaces the key that opens this store with `newKey`.
    ///
    /// The change is a single commit, regardless of the size of the store. When this call returns, the commit is as durable as the base
    /// supports. Values remain encrypted under the same data keys, which only the user's key can decrypt. If the base is a `DeviceStore`,
    /// it is then compacted, because its file still contains the header for the previous key. If compaction fails, an issue is reported,
    /// and calling the base's `compact()` completes the change.
    ///
    /// Anyone who has the previous key and an earlier copy of the store can still open that copy and use its data keys to decrypt later
    /// values. Call `rotateDataKey()` to prevent that. Other open instances continue to work until they need to read the header.
    ///
    /// - Parameter newKey: The new key, which must have at least 128 random bits.
    /// - Throws: `StoreError`. The previous key is still valid, unless the error says that the change could not be synced to disk. In that
    ///   case, keep both keys, because either may be valid after a power loss. On a replicated base, the code is `invalidConfiguration`: only
    ///   the suspending form can wait for the cluster.
    @available(*, noasync, message: "This call blocks on disk I/O. Use `try await changeKey(to:)`.")
    public func changeKey(to newKey: SymmetricKey) throws {
        guard newKey.bitCount >= 128 else { throw StoreError.weakKey }
        guard !isReplicated else { throw StoreError.changeNeedsCluster }
        // Added before the commit, because after the commit only the new key opens the header, also for other threads.
        state.withLock { $0.userKeys.insert(newKey, at: 0) }
        while true {
            let header: OpenedHeader
            do {
                header = try readHeader()
            } catch {
                forget(newKey)
                throw error
            }
            do {
                guard try replace(header, userKey: newKey, durability: .synced, by: { _, _ in }) else { continue }
            } catch {
                throw failure(of: newKey, replacing: header, error)
            }
            // From here on, the former key can open only an older copy of the store.
            forget(header.userKey, keeping: newKey)
            break
        }
        compactBase("The key was changed, but the file still contains a header that the former key opens")
    }

    /// Returns the error that a key change throws after the base store has failed with `error`.
    private func failure(of newKey: SymmetricKey, replacing header: OpenedHeader, _ error: any Error) -> any Error {
        // If the header can't be read, the new key may be valid, so it remains a known key, and the base's error is thrown.
        guard let stored = try? base.get(Self.headerKey) else { return error }
        // If the header is unchanged, or if the new key doesn't open the header, this call did not write the header.
        guard stored != header.stored, (try? KeyRing(stored, userKey: newKey)) != nil else {
            forget(newKey)
            return error
        }
        return StoreError.unconfirmedKey(by: error)
    }

    /// Removes one occurrence of `userKey` from the list of known user keys.
    ///
    /// The key remains known if a concurrent call has also added it.
    func forget(_ userKey: SymmetricKey, keeping newKey: SymmetricKey? = nil) {
        state.withLock { state in
            if let last = state.userKeys.lastIndex(of: userKey) { state.userKeys.remove(at: last) }
            // A concurrent change to the same key may have removed it.
            if let newKey, !state.userKeys.contains(newKey) { state.userKeys.insert(newKey, at: 0) }
        }
    }

    /// Compacts the base if it is a device store or the replica of a replicated store, because its file still contains records that a key
    /// change or rotation has replaced.
    ///
    /// If compaction fails, reports an issue whose message begins with `done`.
    func compactBase(_ done: String) {
        do {
            var store = base
            while let part = store as? PrefixedStore { store = part.base }
            try (store as? any CompactingStore)?.compact()
        } catch {
            let message = "\(done). Call compact() on the device store to remove the old records."
            issues.report(LarderIssue(.degraded, message, underlying: error))
        }
    }

    /// Whether a rotation of the data key is incomplete.
    ///
    /// All values can be read and written during a rotation.
    ///
    /// - Throws: `StoreError` if the store can't be read.
    public var isRotationPending: Bool { get throws { try storedHeader().map { $0.ring.dataKeys.count > 1 } ?? false } }

    /// Re-encrypts every value with a new random data key, and then removes the old data key.
    ///
    /// Other readers and writers can use the store during the rotation. If the call is interrupted, all values stay readable,
    /// ``isRotationPending`` is `true`, and the next call completes the rotation instead of starting another one. Hidden names don't
    /// change. When this call returns, the removal is as durable as the base supports. If the base is a `DeviceStore`, this call also
    /// compacts it, because its file would otherwise still contain values under the old key. If compaction fails, an issue is reported, and
    /// calling the base's `compact()` completes the removal.
    ///
    /// - Returns: The number of values that this call re-encrypted.
    /// - Throws: `StoreError`, with code `damaged` if a value can't be decrypted. In that case, all other values have been re-encrypted.
    ///   The old data key is kept until that value is set or removed and this method is called again. On a replicated base, the code is
    ///   `invalidConfiguration`: only the suspending form can wait for the cluster.
    /// - Complexity: Reads the whole store and writes it in commits of 64 entries. If the base is a device store, compaction writes it once
    ///   more.
    @discardableResult
    @available(*, noasync, message: "This call blocks on disk I/O. Use `try await rotateDataKey()`.")
    public func rotateDataKey() throws -> Int {
        guard !isReplicated else { throw StoreError.changeNeedsCluster }
        try beginRotation()
        var count = 0
        while true {
            let header = try readHeader()
            let stale = try base.entries().filter { header.ring.isStale($0.value) }
            if stale.isEmpty {
                guard try completeRotation(header) else { continue }
                compactBase(
                    "The data key was changed, but the file still contains values encrypted under the former key"
                )
                return count
            }
            let (readable, damage) = try opened(stale)
            let step = environment.entriesPerRotationCommit
            for start in stride(from: 0, to: readable.count, by: step) {
                count += try reencrypt(readable[start..<min(start + step, readable.count)])
            }
            if let damage, readable.isEmpty { throw damage }
        }
    }

    /// Adds a new data key, unless a rotation is already in progress.
    private func beginRotation() throws {
        while true {
            let header = try readHeader()
            guard header.ring.dataKeys.count == 1 else { return }
            let isRecorded = header.ring.salts == .records
            let first = try isRecorded ? nextSession(header.ring) : header.ring.firstCurrentSession + 1
            let isBegun = try replace(header) { ring, batch in
                ring.addDataKey(from: first, environment)
                if isRecorded { batch.expect(.int(Int64(first)), at: Self.sessionsKey) }
                batch.set(ring.epochValue, for: Self.epochKey)
            }
            if isBegun { return }
        }
    }

    /// Removes all data keys except the current one, or returns `false` if another writer has changed the header.
    private func completeRotation(_ header: OpenedHeader) throws -> Bool {
        guard let oldest = header.ring.dataKeys.first, let current = header.ring.dataKeys.last,
            header.ring.dataKeys.count > 1
        else { return true }
        return try replace(header, durability: .synced) { ring, batch in
            ring.dataKeys = [current]
            guard ring.salts == .records else { return }
            for session in oldest.first..<current.first { batch.remove(Self.saltKey(session)) }
        }
    }

    /// Replaces the header of the store with the header of a modified key ring.
    ///
    /// Returns `false` if another writer has changed the header since `header` was read.
    private func replace(
        _ header: OpenedHeader,
        userKey: SymmetricKey? = nil,
        durability: Durability = .buffered,
        by change: (inout KeyRing, inout StoreBatch) -> Void
    ) throws -> Bool {
        try base.commit(replacement(of: header, userKey: userKey, by: change), durability: durability)
    }

    /// Returns the commit that replaces the header of the store with the header of a modified key ring, with a new nonce.
    func replacement(
        of header: OpenedHeader,
        userKey: SymmetricKey? = nil,
        by change: (inout KeyRing, inout StoreBatch) -> Void
    ) throws -> StoreBatch {
        var ring = header.ring
        var batch = StoreBatch()
        batch.expect(header.stored, at: Self.headerKey)
        change(&ring, &batch)
        let bytes = try ring.header(userKey: userKey ?? header.userKey, nonce: environment.randomNonce())
        batch.set(.data(bytes), for: Self.headerKey)
        return batch
    }

    /// Decrypts the entries that must be re-encrypted.
    ///
    /// - Returns: The decrypted entries, without entries that were removed concurrently, and the error for the last corrupt entry, or
    ///   `nil` if no entry is corrupt.
    private func opened(_ stale: [StoreEntry]) throws -> (readable: [SealedEntry.Contents], damage: StoreError?) {
        var readable: [SealedEntry.Contents] = []
        var damage: StoreError?
        for entry in stale {
            let name = EntryName.key(entry.key) ?? entry.key
            do {
                if let found = try self.entry(at: StoreKey(entry.key), name: { name }) {
                    readable.append(found.contents)
                }
            } catch let error as StoreError where error.code == .damaged {
                damage = error
            }
        }
        return (readable, damage)
    }

    /// Re-encrypts and commits values, but skips values that another writer has changed.
    ///
    /// - Returns: The number of committed values.
    private func reencrypt(_ entries: ArraySlice<SealedEntry.Contents>) throws -> Int {
        var batch = StoreBatch()
        for entry in entries {
            let key = EntryName.storeKey(entry.name)
            batch.expect(entry.value, at: key)
            batch.set(entry.value, for: key)
        }
        if try commit(batch) { return entries.count }
        // A value that another writer changed is already sealed under the new data key.
        return entries.count == 1 ? 0 : try entries.indices.reduce(0) { try $0 + reencrypt(entries[$1...$1]) }
    }
}
#endif
