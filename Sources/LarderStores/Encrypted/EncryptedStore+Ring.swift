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

/// The header as it was at one moment.
struct OpenedHeader {
    let stored: StoredValue
    let ring: KeyRing
    let userKey: SymmetricKey
}

// The records of Documentation/Formats/encrypted-store-v1.md, and what this instance knows of them.
extension EncryptedStore {
    static var headerKey: StoreKey { ReservedRecord.encryptionHeader }
    /// Every commit expects it.
    static var epochKey: StoreKey { ReservedRecord.encryptionEpoch }
    static let sessionsKey = StoreKey(reserved: ".encrypted.sessions")
    static let saltLength = 32
    static func saltKey(_ session: UInt32) -> StoreKey { StoreKey(reserved: ".encrypted.session.\(session)") }

    /// The ring as this instance last read it.
    var ring: KeyRing { state.withLock { $0.ring } }

    /// The ring in `base`; a new one when `base` is empty.
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
                // Somebody else may have begun a store here in between.
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

    /// Whether the data keys have changed since `ring` was read; if so, this instance knows the new ones when this returns.
    func isOvertaken(_ ring: KeyRing) throws -> Bool { try refreshedRing().epoch != ring.epoch }

    /// The ring as it is now.
    @discardableResult
    func refreshedRing() throws -> KeyRing { try readHeader().ring }

    /// The header as it is now.
    ///
    /// - Throws: ``StoreError``; also when the base is one of the past: then this instance knows data keys that it will never know.
    func readHeader() throws -> OpenedHeader {
        while true {
            // Asked for before the base is: what another thread reads meanwhile can't make it look older.
            let known = ring.epoch
            let epoch = try base.get(Self.epochKey)
            guard let header = try base.get(Self.headerKey) else { throw StoreError.damagedHeader }
            // Both are written in one commit, and no epoch comes twice.
            guard try base.get(Self.epochKey) == epoch else { continue }
            guard let (ring, userKey) = try opened(header) else {
                // The keys were looked at after the header: another thread may have changed both in between.
                guard try base.get(Self.headerKey) == header else { continue }
                throw StoreError.wrongKey
            }
            guard ring.epochValue == epoch else {
                throw StoreError.damagedSessions("The epoch of the encrypted store is not that of its header")
            }
            guard ring.epoch >= known else { throw StoreError.rolledBackStore }
            try state.withLock { state in
                guard ring.store == state.ring.store else { throw StoreError.replacedStore }
                // Another thread may have read a later one.
                if ring.epoch >= state.ring.epoch { state.ring = ring }
            }
            return OpenedHeader(stored: header, ring: ring, userKey: userKey)
        }
    }

    /// The ring in a header and the key that opens it, or `nil` when none does that this instance knows.
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

    /// The right to seal `count` values; begins a session when there is none for the present epoch, or it is used up.
    func reserveSeals(_ count: Int) throws -> ReservedSeals {
        while true {
            let seals = state.withLock { state in
                state.session?.epoch == state.ring.epoch ? state.session?.reserve(count) : nil
            }
            if let seals { return seals }
            try beginSession()
        }
    }

    /// Begins a session of the epoch as it is now and makes it the one to seal with.
    private func beginSession() throws {
        // No lock is held: another thread may begin one at the same time, and then one of them is little used.
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

    /// The number of the session to begin next.
    func nextSession(_ ring: KeyRing) throws -> UInt32 {
        while true {
            let stored = try base.get(Self.sessionsKey)
            guard case .int(let number)? = stored, let number = UInt32(exactly: number),
                number >= ring.firstCurrentSession
            else {
                throw StoreError.damagedSessions("The number of sessions of the encrypted store is damaged or gone")
            }
            if try base.get(Self.saltKey(number)) == nil { return number }
            // Begun by somebody else just now, or never to be overwritten: the values of a session are lost with its salt.
            guard try base.get(Self.sessionsKey) != stored else {
                throw StoreError.damagedSessions("The next session of the encrypted store is one that was there before")
            }
        }
    }
}

extension KeyRing {
    /// Opens the header as it lies in the base.
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
