#if Encryption
public import Crypto
import LarderCore
import LarderFiles
import Synchronization

extension EncryptedStore {
    /// Makes `newKey` the key that opens this store, instead of the one it was opened with.
    ///
    /// One commit, whatever the size of the store, and on the disk when this returns, as far as the base can: values stay sealed as
    /// they are, under data keys that only the user's key opens. A `DeviceStore` beneath is then compacted, for its file would go on
    /// holding what the former key opens; should that fail, an issue says so, and calling its `compact()` does it. A
    /// reader with the former key and an earlier copy of the store can still open that copy, and with its data keys also values sealed
    /// later; ``rotateDataKey()`` ends that. Other open instances go on until they need the header.
    ///
    /// - Parameter newKey: At least 128 random bits.
    /// - Throws: ``StoreError``; then the former key is still the one, unless the error says that the disk did not confirm the
    ///   change: then keep both keys, for either may be the one after a power loss.
    public func changeKey(to newKey: SymmetricKey) throws {
        guard newKey.bitCount >= 128 else { throw StoreError.weakKey }
        // Known before the commit: from then on the header opens with the new key alone, for other threads of this instance too.
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
            // What the former one opens from now on is an older copy that was put back.
            forget(header.userKey, keeping: newKey)
            break
        }
        removeFormer("The key was changed, but the file can still be opened with the former one")
    }

    /// What to throw when the base has thrown.
    private func failure(of newKey: SymmetricKey, replacing header: OpenedHeader, _ error: any Error) -> any Error {
        // Where that can't be read either, the new key may be the one: it stays known, and the base has said what there is to say.
        guard let stored = try? base.get(Self.headerKey) else { return error }
        // Whatever is wrong with another header, it is not the one that was written here.
        guard stored != header.stored, (try? KeyRing(stored, userKey: newKey)) != nil else {
            forget(newKey)
            return error
        }
        return StoreError.unconfirmedKey(by: error)
    }

    /// Takes a key out once: where another change has added it as well it stays known, for threads may change keys in a circle.
    private func forget(_ userKey: SymmetricKey, keeping newKey: SymmetricKey? = nil) {
        state.withLock { state in
            if let last = state.userKeys.lastIndex(of: userKey) { state.userKeys.remove(at: last) }
            // Somebody else may have changed to the same one before.
            if let newKey, !state.userKeys.contains(newKey) { state.userKeys.insert(newKey, at: 0) }
        }
    }

    /// Ends a change of keys: what was replaced lies in the log of a device store until that is compacted.
    private func removeFormer(_ done: String) {
        do {
            var store = base
            while let part = store as? PrefixedStore { store = part.base }
            try (store as? any CompactingStore)?.compact()
        } catch {
            let message = "\(done), until compact() of the device store beneath succeeds."
            issues.report(LarderIssue(.degraded, message, underlying: error))
        }
    }

    /// Whether a rotation of the data key was begun and not completed.
    ///
    /// Every value can be read and written meanwhile.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read.
    public var isRotationPending: Bool { get throws { try refreshedRing().dataKeys.count > 1 } }

    /// Seals every value anew under a new random data key and then removes the old one.
    ///
    /// Everybody may read and write meanwhile. When it is cut off anywhere, all values stay readable, ``isRotationPending`` is
    /// true, and the next call completes that rotation instead of beginning another. The hidden form of names stays the same.
    /// When this returns, the removal is on the disk as far as the base can, and a `DeviceStore` beneath was compacted, for its file
    /// would go on holding what was sealed under the old key; should that fail, an issue says so, and calling
    /// its `compact()` does it.
    ///
    /// - Returns: How many values this call has sealed anew.
    /// - Throws: ``StoreError``; with code `damaged` when a value can't be opened: all others were sealed anew, and the old data
    ///   key is kept until that value is removed or set, and this is called again.
    /// - Complexity: Reads the whole store, and writes it in commits of 64 entries and, in a device store, once more.
    @discardableResult
    public func rotateDataKey() throws -> Int {
        try beginRotation()
        var count = 0
        while true {
            let header = try readHeader()
            let stale = try base.entries().filter { entry in
                SealedEntry.session(of: entry.value).map { $0 < header.ring.firstCurrentSession } ?? true
            }
            if stale.isEmpty {
                guard try completeRotation(header) else { continue }
                removeFormer("The data key was changed, but the file still holds what was sealed under the former one")
                return count
            }
            let (readable, damage) = try opened(stale)
            let step = environment.entriesPerRotationCommit
            for start in stride(from: 0, to: readable.count, by: step) {
                count += try sealAnew(readable[start..<min(start + step, readable.count)])
            }
            if let damage, readable.isEmpty { throw damage }
        }
    }

    /// Adds a data key, unless there is more than one already.
    private func beginRotation() throws {
        while true {
            let header = try readHeader()
            guard header.ring.dataKeys.count == 1 else { return }
            let first = try nextSession(header.ring)
            let key = environment.randomKey()
            let isBegun = try replace(header) { ring, batch in
                ring.dataKeys.append(KeyRing.DataKey(first: first, key: key))
                ring.epoch += 1
                batch.expect(.int(Int64(first)), at: Self.sessionsKey)
                batch.set(ring.epochValue, for: Self.epochKey)
            }
            if isBegun { return }
        }
    }

    /// Leaves the current data key alone in the ring; `false` when somebody else has changed the header.
    private func completeRotation(_ header: OpenedHeader) throws -> Bool {
        guard let oldest = header.ring.dataKeys.first, let current = header.ring.dataKeys.last,
            header.ring.dataKeys.count > 1
        else { return true }
        return try replace(header, durability: .synced) { ring, batch in
            ring.dataKeys = [current]
            for session in oldest.first..<current.first { batch.remove(Self.saltKey(session)) }
        }
    }

    /// Puts a changed ring in the place of a header, unless another one is there by now.
    private func replace(
        _ header: OpenedHeader,
        userKey: SymmetricKey? = nil,
        durability: Durability = .buffered,
        by change: (inout KeyRing, inout StoreBatch) -> Void
    ) throws -> Bool {
        var ring = header.ring
        var batch = StoreBatch()
        batch.expect(header.stored, at: Self.headerKey)
        change(&ring, &batch)
        let bytes = try ring.header(userKey: userKey ?? header.userKey, nonce: environment.randomNonce())
        batch.set(.data(bytes), for: Self.headerKey)
        return try base.commit(batch, durability: durability)
    }

    /// The values of entries of the base, without those that were removed meanwhile and those that are damaged.
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

    /// Commits values as they are, those left out that were changed meanwhile; returns how many were committed.
    private func sealAnew(_ entries: ArraySlice<SealedEntry.Contents>) throws -> Int {
        var batch = StoreBatch()
        for entry in entries {
            let key = EntryName.storeKey(entry.name)
            batch.expect(entry.value, at: key)
            batch.set(entry.value, for: key)
        }
        if try commit(batch) { return entries.count }
        // What somebody else has written meanwhile is sealed under the new key anyway.
        return entries.count == 1 ? 0 : try entries.indices.reduce(0) { try $0 + sealAnew(entries[$1...$1]) }
    }
}
#endif
