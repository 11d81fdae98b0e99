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

// Reading entries. What can't be opened may only be newer than the key ring this instance knows, or gone since it was read;
// it is called damaged when neither is so.
extension EncryptedStore {
    /// What lies at a key of the base and what is sealed in it, or `nil` when nothing is there; an error calls it `name`.
    func entry(
        at baseKey: StoreKey,
        name: () -> String
    ) throws -> (stored: StoredValue, contents: SealedEntry.Contents)? {
        var stored = try base.get(baseKey)
        while let found = stored {
            let ring = self.ring
            if let contents = try open(found, at: baseKey.text, ring: ring) { return (found, contents) }
            stored = try base.get(baseKey)
            if try stored == found && !isOvertaken(ring) { throw StoreError.damagedSeal(name()) }
        }
        return nil
    }

    /// The entries under a prefix, and those of the base among which they were found.
    func listing(prefix: String) throws -> (entries: [StoreEntry], base: [StoreEntry]) {
        while true {
            let ring = self.ring
            let stored = try base.entries(prefix: names.basePrefix(prefix))
            var entries: [StoreEntry] = []
            entries.reserveCapacity(stored.count)
            let unopened = try stored.first { entry in
                // With visible names, Larder's own need not be opened.
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
            if try base.get(StoreKey(unopened.key)) == unopened.value && !isOvertaken(ring) {
                throw StoreError.damagedSeal(EntryName.key(unopened.key) ?? unopened.key)
            }
        }
    }

    /// What is sealed in a value of the base, or `nil` when it was not sealed for this place, as far as `ring` can tell.
    func open(_ stored: StoredValue, at baseKey: String, ring: KeyRing) throws -> SealedEntry.Contents? {
        guard case .data(let sealed) = stored, let session = SealedEntry.session(of: stored),
            let (key, isKnown) = try sessionKey(session, ring: ring),
            let contents = SealedEntry.open(sealed, at: baseKey, options: options, key: key)
        else { return nil }
        // Kept only now that it has been of use: one derived from what was tampered with, or from a ring of the past, is not.
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

    /// Reads everything in the base, opens it, and checks it.
    ///
    /// - Returns: How many entries there are, Larder's own included, and every problem of theirs and of the base.
    /// - Throws: ``StoreError`` when the check itself could not be carried out.
    public func verify() throws -> StoreVerification {
        var verification = try base.verify()
        func check(_ key: String?, _ body: () throws -> Void) throws {
            do {
                try body()
            } catch let error as StoreError where error.code == .damaged || error.code == .wrongKey {
                verification.problems.append(StoreVerification.Problem(error.message, key: key))
            }
        }
        // What the next writer needs, too.
        try check(nil) { _ = try nextSession(refreshedRing()) }
        let entries = try base.entries()
        verification.checkedEntries = entries.count
        for entry in entries {
            let name = EntryName.key(entry.key) ?? entry.key
            try check(name) { _ = try self.entry(at: StoreKey(entry.key)) { name } }
        }
        return verification
    }
}
#endif
