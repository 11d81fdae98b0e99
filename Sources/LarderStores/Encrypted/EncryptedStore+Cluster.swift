#if Encryption
import Crypto
public import LarderCore
import LarderFiles
import Synchronization

// What differs if several machines share the base. `Documentation/Formats/encrypted-store-v2.md` describes why.
extension EncryptedStore {
    /// Creates this store in the cluster of a replicated base, if the cluster does not have it.
    ///
    /// On any other base, this call has no effect.
    ///
    /// Call this method on a new machine before its first write. Without it, the first write creates the store on this machine. If the
    /// cluster turns out to have a store already, it then refuses that write and all later ones up to the first contact, which are rolled
    /// back and listed in `rejected()`.
    ///
    /// - Throws: `StoreError`, with code `notConfirmed` if the cluster can't be reached within the deadline of the base, or the errors of
    ///   `init(_:key:options:)`.
    public func prepare() async throws {
        guard isReplicated else { return }
        while try storedHeader() == nil {
            guard try Self.mayCreate(in: base) else { continue }
            _ = try await base.commit(creation(), durability: .replicated)
        }
    }

    /// Returns the key ring to encrypt new values with, and stores it if the base is replicated and has none.
    func ringForSealing() throws -> KeyRing {
        while true {
            if let header = try storedHeader() { return header.ring }
            if try Self.mayCreate(in: base) { _ = try base.commit(creation()) }
        }
    }

    /// Returns the commit that creates this store in the base.
    private func creation() throws -> StoreBatch {
        let (ring, userKey) = state.withLock { ($0.ring, $0.userKeys[0]) }
        return try ring.creation(userKey: userKey, environment)
    }

    /// Keeps the key ring of a replicated base, whichever machine has written it.
    ///
    /// The cluster may have refused the header that this machine has created, or may have lost commits in a failover. Values that were sealed
    /// under another header are refused by the cluster, because their commits expect its epoch, which is random.
    func adopt(_ ring: KeyRing) throws {
        guard ring.salts == .entries else { throw StoreError.unsharedFormat }
        guard ring.options == options else { throw StoreError.otherOptions }
        state.withLock { $0.ring = ring }
    }

    /// Checks that an entry may be shared with other machines.
    ///
    /// The names of entries in the base do not tell which ones stay on a machine, such as an outbox. If such an entry stayed there nevertheless,
    /// a rotation on another machine would make it unreadable.
    ///
    /// - Throws: `StoreError` with code `unsupportedKey`.
    func checkReplicates(_ key: StoreKey) throws {
        guard isReplicated, key.isInternal, !ReservedRecord.isReplicated(key) else { return }
        throw StoreError.localRecord(key.text)
    }

    /// Decrypts an entry of the base store.
    ///
    /// Use this method to read the commits in the `rejected()` list of a `ReplicatedStore`, whose writes are encrypted:
    ///
    /// ```swift
    /// for commit in try replicated.rejected() {
    ///     for write in commit.writes {
    ///         guard let value = write.value else { continue }  // a removal
    ///         print(try store.decrypt(value, from: write.key))
    ///     }
    /// }
    /// ```
    ///
    /// A value that was rejected because another machine has rotated the data key, or has created the store first, can only be decrypted by an
    /// instance that has been open since the value was written.
    ///
    /// - Parameters:
    ///   - stored: The encrypted value.
    ///   - baseKey: The key of the entry in the base.
    /// - Returns: The entry with its key in this store and its decrypted value.
    /// - Throws: `StoreError`, with code `damaged` if the entry can't be decrypted.
    public func decrypt(_ stored: StoredValue, from baseKey: String) throws -> StoreEntry {
        while true {
            let ring = self.ring
            if let contents = try open(stored, at: baseKey, ring: ring) {
                return StoreEntry(key: EntryName.storeKey(contents.name).text, value: contents.value)
            }
            guard try isOutdated(ring) else { throw StoreError.unknownSeal(EntryName.key(baseKey) ?? baseKey) }
        }
    }
}
#endif
