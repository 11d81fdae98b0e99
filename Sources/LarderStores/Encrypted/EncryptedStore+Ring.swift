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
    static func ring(
        in base: any KeyValueStore,
        userKey: SymmetricKey,
        options: Options,
        environment: Environment
    ) throws -> KeyRing {
        while true {
            if let stored = try base.get(headerKey) { return try KeyRing(stored, userKey: userKey) }
            let isHeaderGone = try base.get(epochKey) != nil
            guard try !isHeaderGone && EncryptedEntries.isEmpty(base) else {
                // Another process may have created a store in the meantime.
                if try base.get(headerKey) != nil { continue }
                throw isHeaderGone ? StoreError.damagedHeader : .notEncrypted
            }
            let store = environment.randomBytes(KeyRing.storeLength)
            let nameKey = environment.randomKey()
            let dataKey = KeyRing.DataKey(first: 0, key: environment.randomKey())
            let ring = KeyRing(options: options, store: store, epoch: 1, nameKey: nameKey, dataKeys: [dataKey])
            var batch = StoreBatch()
            batch.expect(nil, at: headerKey)
            batch.expect([], prefix: "")
            batch.set(.data(try ring.header(userKey: userKey, nonce: environment.randomNonce())), for: headerKey)
            batch.set(ring.epochValue, for: epochKey)
            batch.set(0, for: sessionsKey)
            if try base.commit(batch) { return ring }
        }
    }

    /// Rereads the key ring from the base store, and returns whether `ring` is stale.
    func isOutdated(_ ring: KeyRing) throws -> Bool { try refreshedRing().epoch != ring.epoch }

    @discardableResult
    func refreshedRing() throws -> KeyRing { try readHeader().ring }

    /// Reads the encrypted store's header, and retries if another writer changes the header during the read.
    ///
    /// - Throws: `StoreError`, with code `damaged` if the base store contains another encrypted store, or an older epoch than this
    ///   instance has seen.
    func readHeader() throws -> OpenedHeader {
        while true {
            // The known epoch is read before the stored epoch. Otherwise, another thread could store a newer known epoch in the meantime,
            // and the epoch read here would look like a rollback.
            let known = ring.epoch
            let epoch = try base.get(Self.epochKey)
            guard let header = try base.get(Self.headerKey) else { throw StoreError.damagedHeader }
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
            guard ring.epoch >= known else { throw StoreError.rolledBackStore }
            try state.withLock { state in
                guard ring.store == state.ring.store else { throw StoreError.replacedStore }
                // Another thread may already have stored a newer ring.
                if ring.epoch >= state.ring.epoch { state.ring = ring }
            }
            return OpenedHeader(stored: header, ring: ring, userKey: userKey)
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
            let ring = try refreshedRing()
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
}

extension EncryptedStore.Environment {
    func randomKey() -> SymmetricKey { SymmetricKey(data: randomBytes(32)) }
    func randomNonce() -> [UInt8] { randomBytes(EncryptedStore.Cipher.nonceLength) }
}
#endif
