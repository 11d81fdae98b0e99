#if Encryption
import Crypto
import LarderCore
import LarderFiles
import Synchronization
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A header that was read from the base store, and the user key that decrypted it.
struct OpenedHeader {
    let stored: StoredValue
    let ring: KeyRing
    let userKey: SymmetricKey
}

// Access to the records that `Documentation/Formats/encrypted-store-v1.md` defines.
extension EncryptedStore {
    static var headerKey: StoreKey { ReservedRecord.encryptionHeader }
    /// The key of the record that holds the epoch, a number that increases whenever the data keys change.
    ///
    /// A commit succeeds only if the epoch in which its values were encrypted is still current.
    static var epochKey: StoreKey { ReservedRecord.encryptionEpoch }
    static let sessionsKey = StoreKey(reserved: ".encrypted.sessions")
    static let saltLength = 32
    static func saltKey(_ session: UInt32) -> StoreKey { StoreKey(reserved: ".encrypted.session.\(session)") }

    /// The key ring from the header that this instance has read most recently.
    var ring: KeyRing { state.withLock { $0.ring } }

    /// Returns the key ring in `base`, or creates one if `base` is empty.
    ///
    /// If `base` is replicated, a new key ring is stored only by the first write. Before the first contact, `base` is empty on every machine.
    static func ring(
        in base: any KeyValueStore,
        userKey: SymmetricKey,
        options: Options,
        environment: Environment
    ) throws -> KeyRing {
        while true {
            if let stored = try base.get(headerKey) { return try KeyRing(stored, userKey: userKey) }
            guard try mayCreate(in: base) else { continue }
            let isReplicated = base.capabilities.replicates
            let ring = KeyRing(new: isReplicated ? .entries : .records, options, environment)
            if isReplicated { return ring }
            if try base.commit(ring.creation(userKey: userKey, environment)) { return ring }
        }
    }

    /// Returns whether an encrypted store can be created in `base`, or `false` if there is one by now.
    ///
    /// - Throws: `StoreError` if `base` has other entries, or entries of an encrypted store without a header.
    static func mayCreate(in base: any KeyValueStore) throws -> Bool {
        let isHeaderGone = try base.get(epochKey) != nil
        if try !isHeaderGone && EncryptedEntries.isEmpty(base) { return true }
        // Another process may have created a store in the meantime.
        if try base.get(headerKey) != nil { return false }
        throw isHeaderGone ? StoreError.damagedHeader : .notEncrypted
    }

    /// Rereads the key ring from the base store, and returns whether `ring` is stale.
    func isOutdated(_ ring: KeyRing) throws -> Bool { try refreshedRing().epoch != ring.epoch }

    @discardableResult
    func refreshedRing() throws -> KeyRing { try readHeader().ring }

    /// Reads the encrypted store's header, and retries if another writer changes the header during the read.
    ///
    /// - Throws: `StoreError`, with code `damaged` if the base store contains another encrypted store, or an older epoch than this
    ///   instance has seen, unless the base is replicated.
    func readHeader() throws -> OpenedHeader {
        guard let header = try storedHeader() else { throw StoreError.damagedHeader }
        return header
    }

    /// Reads the header, or returns `nil` if the base is replicated and has no header.
    func storedHeader() throws -> OpenedHeader? {
        while true {
            // The known epoch is read before the stored epoch. Otherwise, another thread could store a newer known epoch in the meantime,
            // and the epoch read here would look like a rollback.
            let known = ring.epoch
            let epoch = try base.get(Self.epochKey)
            guard let header = try base.get(Self.headerKey) else {
                guard isReplicated else { throw StoreError.damagedHeader }
                // No value can be committed under this header, so the next write must not continue a session.
                state.withLock { $0.session = nil }
                return nil
            }
            // One commit writes the header and the epoch, and no epoch is reused, so an unchanged epoch belongs to the header.
            guard try base.get(Self.epochKey) == epoch else { continue }
            guard let (ring, userKey) = try opened(header) else {
                // Another thread may have changed the header and the known keys in between.
                guard try base.get(Self.headerKey) == header else { continue }
                throw StoreError.wrongKey
            }
            guard ring.epochValue == epoch else {
                throw StoreError.damagedSessions(
                    "The epoch of the encrypted store differs from the epoch in its header"
                )
            }
            if isReplicated { try adopt(ring) } else { try note(ring, after: known) }
            return OpenedHeader(stored: header, ring: ring, userKey: userKey)
        }
    }

    /// Keeps a key ring that was read after the epoch `known` was known.
    private func note(_ ring: KeyRing, after known: UInt64) throws {
        guard ring.epoch >= known else { throw StoreError.rolledBackStore }
        try state.withLock { state in
            guard ring.store == state.ring.store else { throw StoreError.replacedStore }
            // Another thread may already have stored a newer ring.
            if ring.epoch >= state.ring.epoch { state.ring = ring }
        }
    }

    /// Decrypts a header with one of the known user keys, and returns the key ring and that user key.
    ///
    /// Returns `nil` if no known user key can decrypt the header.
    private func opened(_ header: StoredValue) throws -> (KeyRing, SymmetricKey)? {
        for userKey in state.withLock({ $0.userKeys }) {
            do {
                return (try KeyRing(header, userKey: userKey), userKey)
            } catch let error as StoreError where error.code == .wrongKey {
                continue
            }
        }
        return nil
    }

    /// Reserves nonces for `count` values.
    ///
    /// Begins a new encryption session if there is no session in the current epoch or its nonces are used up.
    func reserveSeals(_ count: Int) throws -> ReservedSeals {
        while true {
            let seals = state.withLock { state in
                state.session?.epoch == state.ring.epoch ? state.session?.reserve(count) : nil
            }
            if let seals { return seals }
            try beginSession()
        }
    }

    /// Begins an encryption session in the current epoch, and uses the session for all subsequent values.
    private func beginSession() throws {
        // No lock is held, so two threads may each begin a session. One of these sessions is then hardly used.
        while true {
            let ring = try ringForSealing()
            if ring.salts == .entries { return beginSession(withoutRecord: ring) }
            let number = try nextSession(ring)
            let salt = environment.randomBytes(Self.saltLength)
            var batch = StoreBatch()
            batch.expect(ring.epochValue, at: Self.epochKey)
            batch.expect(.int(Int64(number)), at: Self.sessionsKey)
            batch.expect(nil, at: Self.saltKey(number))
            batch.set(.int(Int64(number) + 1), for: Self.sessionsKey)
            batch.set(.data(Data(salt)), for: Self.saltKey(number))
            guard let key = ring.sessionKey(number, salt: salt), try base.commit(batch) else { continue }
            state.withLock { state in
                state.session = SealingSession(
                    number: number,
                    epoch: ring.epoch,
                    key: key,
                    limit: environment.sealsPerSession
                )
                state.sessionKeys[number] = key
            }
            return
        }
    }

    /// Begins a session whose salt is in its entries.
    private func beginSession(withoutRecord ring: KeyRing) {
        let salt = environment.randomBytes(SessionSalt.length).withUnsafeBytes { SessionSalt($0) }
        let number = ring.firstCurrentSession
        guard let key = ring.sessionKey(number, salt: salt.bytes) else { return }
        state.withLock { state in
            state.session = SealingSession(
                number: number,
                salt: salt,
                epoch: ring.epoch,
                key: key,
                limit: environment.sealsPerSession
            )
            state.saltKeys[salt] = key
        }
    }

    /// Checks that a session can be begun with the session counter in the base store, if sessions have records.
    func checkSessions() throws {
        // A replicated store without entries may have no header yet.
        if isReplicated, try storedHeader() == nil, try Self.mayCreate(in: base) { return }
        let ring = try refreshedRing()
        if ring.salts == .records { _ = try nextSession(ring) }
    }

    /// Returns the next session number, which is the value of the session counter in the base store.
    func nextSession(_ ring: KeyRing) throws -> UInt32 {
        while true {
            let stored = try base.get(Self.sessionsKey)
            guard case .int(let number)? = stored, let number = UInt32(exactly: number),
                number >= ring.firstCurrentSession
            else {
                throw StoreError.damagedSessions("The session counter of the encrypted store is corrupt or missing")
            }
            if try base.get(Self.saltKey(number)) == nil { return number }
            // Either another process has just begun this session, or the counter is wrong. With a wrong counter, a new salt would make the
            // values of an existing session unreadable.
            guard try base.get(Self.sessionsKey) != stored else {
                throw StoreError.damagedSessions(
                    "The session counter of the encrypted store refers to an existing session"
                )
            }
        }
    }
}

extension KeyRing {
    /// Creates a key ring by decrypting a header record of the base store with `userKey`.
    init(_ stored: StoredValue, userKey: SymmetricKey) throws {
        guard case .data(let header) = stored else { throw StoreError.damagedHeader }
        try self.init(header: header, userKey: userKey)
    }

    var epochValue: StoredValue { .int(Int64(truncatingIfNeeded: epoch)) }

    /// Creates the key ring of a new store.
    init(new salts: SaltPlacement, _ options: EncryptedStore.Options, _ environment: EncryptedStore.Environment) {
        self.salts = salts
        self.options = options
        store = environment.randomBytes(Self.storeLength)
        nameKey = environment.randomKey()
        dataKeys = [DataKey(first: 0, key: environment.randomKey())]
        epoch = salts == .entries ? environment.randomEpoch() : 1
    }

    /// Returns the commit that creates the store with this key ring.
    func creation(userKey: SymmetricKey, _ environment: EncryptedStore.Environment) throws -> StoreBatch {
        var batch = StoreBatch()
        batch.expect(nil, at: EncryptedStore.headerKey)
        batch.expect([], prefix: "")
        batch.set(
            .data(try header(userKey: userKey, nonce: environment.randomNonce())),
            for: EncryptedStore.headerKey
        )
        batch.set(epochValue, for: EncryptedStore.epochKey)
        if salts == .records { batch.set(0, for: EncryptedStore.sessionsKey) }
        return batch
    }

    /// Adds a data key, and begins an epoch in which only that key is used.
    ///
    /// - Parameters:
    ///   - first: See ``DataKey/first``.
    ///   - environment: The source of random bytes.
    mutating func addDataKey(from first: UInt32, _ environment: EncryptedStore.Environment) {
        dataKeys.append(DataKey(first: first, key: environment.randomKey()))
        // A cluster can lose a rotation in a failover, so the epoch of the next one must differ.
        epoch += salts == .entries ? environment.randomEpoch() >> 20 : 1
    }
}

extension EncryptedStore.Environment {
    func randomKey() -> SymmetricKey { SymmetricKey(data: randomBytes(32)) }
    func randomNonce() -> [UInt8] { randomBytes(EncryptedStore.Cipher.nonceLength) }

    /// Returns a random number from 2^60 to 2^61.
    func randomEpoch() -> UInt64 {
        let number = randomBytes(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return (number >> 4) | (1 << 60)
    }
}
#endif
