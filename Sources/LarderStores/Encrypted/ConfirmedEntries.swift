#if Encryption
import LarderCore

/// The entries of a base store that the cluster has confirmed, without the pending writes of this machine.
struct ConfirmedEntries: Sendable {
    private let store: any ConfirmedStore
    private let prefix: String

    /// Creates the confirmed entries of `base`, or returns `nil` if `base` is neither a replicated store nor a prefixed view of one.
    init?(_ base: any KeyValueStore) {
        var (base, prefix) = (base, "")
        while let view = base as? PrefixedStore { (base, prefix) = (view.base, view.prefix + prefix) }
        guard let store = base as? any ConfirmedStore else { return nil }
        self.store = store
        self.prefix = prefix
    }

    /// Returns the entry at a key of the base.
    func value(at baseKey: String) throws -> StoredValue? { try store.confirmedValue(StoreKey(prefix + baseKey)) }

    /// Returns all entries, with their keys in the base.
    func all() throws -> [StoreEntry] {
        let entries = try store.confirmedEntries(prefix: prefix)
        guard !prefix.isEmpty else { return entries }
        return entries.map { entry in
            let key = String(decoding: entry.key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
            return StoreEntry(key: key, value: entry.value)
        }
    }
}

// A pending write that was sealed before another machine rotated the data key is certain to be refused. Until then, an instance that was
// opened later can't decrypt the write, and reads show what they will show after the rollback.
extension EncryptedStore {
    /// Returns whether an entry is a pending write of this machine whose data key was removed.
    func isSuperseded(_ stored: StoredValue, _ ring: KeyRing) -> Bool {
        isReplicated && SealedEntry.session(of: stored, ring.salts).map(ring.isRemoved) ?? false
    }

    /// Returns the error for an entry that can't be decrypted.
    func unreadable(_ stored: StoredValue, _ ring: KeyRing, _ key: String) -> StoreError {
        isSuperseded(stored, ring) ? .supersededSeal(key) : .damagedSeal(key)
    }

    private static var mostAttempts: Int { 10 }

    /// Returns the decrypted value of the entry at `baseKey`.
    ///
    /// `name` returns the key to include in errors.
    func value(at baseKey: StoreKey, name: () -> String) throws -> StoredValue? {
        var attempts = 0
        while true {
            do {
                return try entry(at: baseKey, name: name)?.contents.value
            } catch let error as StoreError where error.code == .busy && confirmed != nil {
                let ring = self.ring
                if let confirmed, let pending = try base.get(baseKey), isSuperseded(pending, ring) {
                    guard let stored = try confirmed.value(at: baseKey.text) else { return nil }
                    if let contents = try open(stored, at: baseKey.text, ring: ring) { return contents.value }
                }
                attempts += 1
                guard attempts < Self.mostAttempts else { throw error }
            }
        }
    }
}
#endif
