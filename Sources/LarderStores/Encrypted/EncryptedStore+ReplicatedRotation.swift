#if Encryption
public import Crypto
import LarderCore
import LarderFiles
import Synchronization

// Changes of keys that wait for the disk, or for the cluster of a replicated base, without blocking the current thread.
extension EncryptedStore {
    /// Replaces the key that opens this store with `newKey`, and suspends until the change is durable.
    ///
    /// See the blocking form for the details. On a replicated base, the call suspends until the cluster has confirmed the change and it was
    /// applied here. Other machines can write on, also what they have written without a connection. Instances there continue to work until
    /// they need to read the header. The history and the backups of the cluster, and the replicas of other machines, contain the former header
    /// until they are trimmed or compacted.
    ///
    /// - Parameter newKey: The new key, which must have at least 128 random bits.
    /// - Throws: `StoreError`. The previous key is still valid, unless the error says that the change could not be synced to disk, or has the
    ///   code `notConfirmed`. In these cases, keep both keys.
    public func changeKey(to newKey: SymmetricKey) async throws {
        guard isReplicated else { return try await withBlockingWork { try self.changeKey(to: newKey) } }
        guard newKey.bitCount >= 128 else { throw StoreError.weakKey }
        try await prepare()
        // Added before the commit, because after the commit only the new key opens the header, also for other threads.
        state.withLock { $0.userKeys.insert(newKey, at: 0) }
        do {
            while true {
                let header = try readHeader()
                let batch = try replacement(of: header, userKey: newKey) { _, _ in }
                guard try await base.commit(batch, durability: .replicated) else { continue }
                forget(header.userKey, keeping: newKey)
                break
            }
        } catch let error as StoreError where error.code == .notConfirmed {
            // Either key may open the header that arrives here later.
            throw StoreError.unconfirmedKeyChange(by: error)
        } catch {
            forget(newKey)
            throw error
        }
        await compactReplica("The key was changed, but the file still contains a header that the former key opens")
    }

    /// Re-encrypts every value with a new random data key, then removes the old data key, and suspends meanwhile.
    ///
    /// See the blocking form for the details. On a replicated base, the call suspends until the cluster has confirmed each step and it was
    /// applied here. Other machines can read and write during the rotation.
    ///
    /// - Important: What a machine has written without a connection before the rotation, and sends after it, is refused by the cluster and
    ///   listed in `rejected()`. An instance that is still open there can decrypt these writes with ``decrypt(_:from:)``; after a restart they
    ///   can't be read any more. So rotate when all machines are connected.
    ///
    /// - Returns: The number of values that this call re-encrypted.
    /// - Throws: `StoreError`, with code `damaged` if a value can't be decrypted. In that case, all other values have been re-encrypted.
    ///   The old data key is kept until that value is set or removed and this method is called again. The code is `notConfirmed` if the
    ///   cluster did not confirm a step within the deadline of the base; call the method again later.
    /// - Complexity: Reads the whole store and writes it in commits of at most 64 entries.
    @discardableResult
    public func rotateDataKey() async throws -> Int {
        guard isReplicated else { return try await withBlockingWork { try self.rotateDataKey() } }
        guard let confirmed else { throw StoreError.unknownConfirmation }
        try await prepare()
        try await beginReplicatedRotation()
        var count = 0
        var marked: OpenedHeader?
        while true {
            let header = try readHeader()
            // A value that only hides under a pending write of this machine appears again if the cluster refuses that write.
            let stale = try confirmed.all().filter { header.ring.isStale($0.value) }
            guard stale.isEmpty else {
                marked = nil
                count += try await reencrypt(stale, header.ring)
                continue
            }
            guard header.ring.dataKeys.count > 1 else { return count }
            // The data key is removed by a commit that expects a header written after the last value. A failover that loses
            // re-encrypted values after they were confirmed loses that header too.
            guard let expected = marked, expected.stored == header.stored else {
                let mark = try replacement(of: header) { _, _ in }
                marked = try await base.commit(mark, durability: .replicated) ? readHeader() : nil
                continue
            }
            let completion = try replacement(of: expected) { ring, _ in
                ring.dataKeys.removeFirst(ring.dataKeys.count - 1)
            }
            guard try await base.commit(completion, durability: .replicated) else { continue }
            await compactReplica(
                "The data key was changed, but the file still contains values encrypted under the former key"
            )
            return count
        }
    }

    /// Adds a new data key in the cluster, unless a rotation is already in progress.
    private func beginReplicatedRotation() async throws {
        while true {
            let header = try readHeader()
            guard header.ring.dataKeys.count == 1 else { return }
            let batch = try replacement(of: header) { ring, batch in
                ring.addDataKey(from: ring.firstCurrentSession + 1, environment)
                batch.set(ring.epochValue, for: Self.epochKey)
            }
            if try await base.commit(batch, durability: .replicated) { return }
        }
    }

    /// Re-encrypts confirmed entries, except those that another writer changes meanwhile.
    ///
    /// - Returns: The number of values that were re-encrypted.
    /// - Throws: `StoreError` with code `damaged` if no entry can be decrypted, or the error of the base.
    private func reencrypt(_ entries: [StoreEntry], _ ring: KeyRing) async throws -> Int {
        var readable: [(entry: StoreEntry, contents: SealedEntry.Contents)] = []
        for entry in entries {
            if let contents = try open(entry.value, at: entry.key, ring: ring) { readable.append((entry, contents)) }
        }
        if readable.isEmpty, let entry = entries.first, try !isOutdated(ring) {
            throw StoreError.damagedSeal(EntryName.key(entry.key) ?? entry.key)
        }
        // Each entry is expected and written, and the epoch is expected.
        let operations = base.capabilities.limits?.operations ?? .max
        let step = max(1, min(environment.entriesPerRotationCommit, (operations - 1) / 2))
        var count = 0
        for start in stride(from: 0, to: readable.count, by: step) {
            count += try await reencrypt(readable[start..<min(start + step, readable.count)])
        }
        return count
    }

    private func reencrypt(
        _ entries: ArraySlice<(entry: StoreEntry, contents: SealedEntry.Contents)>
    ) async throws -> Int {
        var batch = StoreBatch()
        var seals = try reserveSeals(entries.count)
        batch.expect(seals.epochValue, at: Self.epochKey)
        for (entry, contents) in entries {
            let key = StoreKey(entry.key)
            batch.expect(entry.value, at: key)
            let name = options.hidesNames ? contents.name : nil
            let value = contents.value
            batch.set(
                try SealedEntry.seal(value, at: key, sealingName: name, cipher: options.cipher, by: seals),
                for: key
            )
            seals.counter += 1
        }
        do {
            if try await base.commit(batch, durability: .replicated) { return entries.count }
        } catch let error as StoreError where error.code == .batchTooLarge && entries.count > 1 {}
        // Another writer has changed a value, or the values are too large for one commit.
        guard entries.count > 1 else { return 0 }
        let middle = entries.startIndex + entries.count / 2
        let first = try await reencrypt(entries[..<middle])
        return try await first + reencrypt(entries[middle...])
    }

    private func compactReplica(_ done: String) async {
        try? await withBlockingWork { self.compactBase(done) }
    }
}

extension KeyRing {
    /// Returns whether a rotation must re-encrypt an entry.
    func isStale(_ stored: StoredValue) -> Bool {
        SealedEntry.session(of: stored, salts).map { $0 < firstCurrentSession } ?? true
    }
}
#endif
