#if Encryption
import Crypto
public import LarderCore
import LarderFiles
import Synchronization
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Reading entries. An entry that can't be decrypted may have been encrypted under a newer key ring than this instance has read, or may have
// been removed in the meantime. Otherwise, the entry is corrupt.
extension EncryptedStore {
    /// Returns the entry at `baseKey` in the base store and its decrypted content, or `nil` if there is no entry.
    ///
    /// `name` returns the key to include in errors.
    func entry(
        at baseKey: StoreKey,
        name: () -> String
    ) throws -> (stored: StoredValue, contents: SealedEntry.Contents)? {
        var stored = try base.get(baseKey)
        while let found = stored {
            let ring = self.ring
            if let contents = try open(found, at: baseKey.text, ring: ring) { return (found, contents) }
            stored = try base.get(baseKey)
            if try stored == found && !isOutdated(ring) { throw StoreError.damagedSeal(name()) }
        }
        return nil
    }

    /// Returns the decrypted entries whose keys begin with `prefix`, and the entries of the base store that were read.
    func listing(prefix: String) throws -> (entries: [StoreEntry], base: [StoreEntry]) {
        while true {
            let ring = self.ring
            let stored = try base.entries(prefix: names.basePrefix(prefix))
            var entries: [StoreEntry] = []
            entries.reserveCapacity(stored.count)
            let unopened = try stored.first { entry in
                // If names are visible, the entries of reserved keys need not be decrypted.
                if !options.hidesNames, EntryName.key(entry.key) == nil { return false }
                guard let contents = try open(entry.value, at: entry.key, ring: ring) else { return true }
                if let key = EntryName.key(contents.name), key.utf8.starts(with: prefix.utf8) {
                    entries.append(StoreEntry(key: key, value: contents.value))
                }
                return false
            }
            guard let unopened else {
                if options.hidesNames { entries.sort { $0.key.precedesByBytes($1.key) } }
                return (entries, stored)
            }
            if try base.get(StoreKey(unopened.key)) == unopened.value && !isOutdated(ring) {
                throw StoreError.damagedSeal(EntryName.key(unopened.key) ?? unopened.key)
            }
        }
    }

    /// Decrypts an entry of the base store, or returns `nil` if the entry was not encrypted for `baseKey` with a data key in `ring`.
    func open(_ stored: StoredValue, at baseKey: String, ring: KeyRing) throws -> SealedEntry.Contents? {
        guard case .data(let sealed) = stored, let session = SealedEntry.session(of: stored),
            let (key, isKnown) = try sessionKey(session, ring: ring),
            let contents = SealedEntry.open(sealed, at: baseKey, options: options, key: key)
        else { return nil }
        // Cached only after the key has decrypted an entry, because a key that was derived from a tampered salt or an outdated ring can't
        // decrypt entries.
        if !isKnown { state.withLock { $0.sessionKeys[session] = key } }
        return contents
    }

    private func sessionKey(_ number: UInt32, ring: KeyRing) throws -> (key: SymmetricKey, isKnown: Bool)? {
        if let known = state.withLock({ $0.sessionKeys[number] }) { return (known, true) }
        guard case .data(let salt) = try base.get(Self.saltKey(number)),
            let key = ring.sessionKey(number, salt: salt)
        else { return nil }
        return (key, false)
    }

    /// Checks the base store and decrypts all its entries.
    ///
    /// - Returns: The number of entries, including those with reserved keys, and all problems found in the entries and the base store.
    /// - Throws: `StoreError` if the check could not be carried out.
    public func verify() throws -> StoreVerification { try runVerification { _ in } }
}

extension EncryptedStore: VerifyingStore {
    /// The number of entries after which the verification tells its progress.
    private static let entriesBetweenProgress = 256

    package func runVerification(telling progress: (StoreProgress) throws -> Void) throws -> StoreVerification {
        var verification = try base.verification { try progress($0.asPart(0, of: 2)) }
        func check(_ key: String?, _ body: () throws -> Void) throws {
            do {
                try body()
            } catch let error as StoreError where error.code == .damaged || error.code == .wrongKey {
                verification.problems.append(StoreVerification.Problem(error.message, key: key))
            }
        }
        // Also checks the header and the session counter, which the next writer needs.
        try check(nil) { _ = try nextSession(refreshedRing()) }
        let total = try base.entryCount()
        verification.checkedEntries = 0
        // Only the keys matter here, because an entry that can't be decrypted may have been replaced since it was listed.
        var request = EntryPageRequest(limit: 1 << 16, longestValue: 0, bytes: EntryPageRequest.bytesInPart)
        while true {
            let page = try base.entryPage(request)
            for entry in page.entries {
                if verification.checkedEntries % Self.entriesBetweenProgress == 0 {
                    let done = StoreProgress(completed: verification.checkedEntries, total: max(1, total))
                    try progress(done.asPart(1, of: 2))
                }
                verification.checkedEntries += 1
                let name = EntryName.key(entry.key) ?? entry.key
                try check(name) { _ = try self.entry(at: StoreKey(entry.key)) { name } }
            }
            guard let next = page.next else { break }
            request.after = next
        }
        try progress(StoreProgress(completed: 1, total: 1).asPart(1, of: 2))
        return verification
    }
}
#endif
