#if Encryption
public import Crypto
public import LarderCore
import LarderFiles
import Synchronization
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A store that encrypts all values and stores them in another store, the base store.
///
/// Without the key, values can't be read, and can't be changed or moved without detection.
///
/// ```swift
/// let store = try EncryptedStore(base, key: key)
/// try store.set("s3cret", for: "token")
/// ```
///
/// An encrypted store behaves like any other store. The base must be empty at first. After that, only encrypted stores with the same key
/// may write to the base, in this or another process. <doc:Encryption> describes the guarantees and their limits.
///
/// **Cost.** A write encrypts each value with one cipher call, and a read decrypts one. With hidden names, reads and writes also compute a
/// keyed hash of the entry's key, and listing any prefix decrypts every entry. An expected value is read and decrypted before the commit.
/// A page of `entries(after:prefix:limit:)` consists of several reads, so that commits may lie between its entries.
public final class EncryptedStore: KeyValueStore {
    /// The options for creating an encrypted store.
    public struct Options: Sendable, Hashable {
        /// The cipher that encrypts the values.
        public var cipher: Cipher
        /// Whether the names of keys are hidden, in addition to the values.
        ///
        /// Listing any prefix then costs as much as listing all entries.
        public var hidesNames: Bool

        /// Creates options for a new encrypted store.
        ///
        /// - Parameters:
        ///   - cipher: The cipher that encrypts the values.
        ///   - hidesNames: Whether the names of keys are hidden, in addition to the values.
        public init(cipher: Cipher = .aesGCM, hidesNames: Bool = false) {
            self.cipher = cipher
            self.hidesNames = hidesNames
        }
    }

    /// The random number generator and the limits of a store, which tests can replace.
    package struct Environment: Sendable {
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8] = { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
        package var sealsPerSession: UInt64 = 1 << 32
        /// The number of entries that a rotation re-encrypts in one commit.
        package var entriesPerRotationCommit = 64

        package init() {}
    }

    struct State: ~Copyable {
        // A key change adds its new key once and removes the replaced key once. A key may occur several times, so that the valid key
        // remains here in whichever order concurrent changes end.

        /// The keys that may decrypt the header, newest first.
        ///
        /// These are the current key and the keys of key changes that are in progress or whose outcome is unknown.
        var userKeys: [SymmetricKey]
        var ring: KeyRing
        /// The session that encrypts new values, or `nil` before the first write.
        var session: SealingSession?
        /// The session keys that this instance has used, by session number.
        var sessionKeys: [UInt32: SymmetricKey] = [:]
    }

    /// The base store, which holds the encrypted entries.
    public let base: any KeyValueStore
    /// The options that the store was created with.
    public let options: Options
    let environment: Environment
    /// The base store if it supports conditional writes without a batch, or `nil` otherwise.
    private let conditional: (any ConditionalStore)?
    let names: EntryNames
    let state: Mutex<State>
    let observations = BaseObservations()

    /// Opens the encrypted store in `base`, or creates one if `base` is empty.
    ///
    /// - Parameters:
    ///   - base: The store for the encrypted entries, which must not contain anything else. It must preserve `data` values exactly.
    ///   - key: At least 128 random bits, such as `SymmetricKey(size: .bits256)`. Don't use a password.
    ///   - options: The options of a new store. For an existing store, pass the options that it was created with.
    /// - Throws: `StoreError` with code `wrongKey`, `damaged`, `newerFormat` or `invalidConfiguration`, or an error thrown by the base. A
    ///   failed call changes nothing. The configuration is invalid if the options differ, if the key is too short, if the base can't
    ///   preserve `data` exactly or is replicated, or if the base has entries or internal records that no encrypted store wrote.
    public convenience init(_ base: any KeyValueStore, key: SymmetricKey, options: Options = Options()) throws {
        try self.init(base, key: key, options: options, environment: Environment())
    }

    package init(_ base: any KeyValueStore, key: SymmetricKey, options: Options, environment: Environment) throws {
        guard key.bitCount >= 128 else { throw StoreError.weakKey }
        let capabilities = base.capabilities
        guard capabilities.exactKinds.contains(.data) else { throw StoreError.baseWithoutData }
        guard !capabilities.replicates else { throw StoreError.replicatedBase }
        let ring = try Self.ring(in: base, userKey: key, options: options, environment: environment)
        guard ring.options == options else { throw StoreError.otherOptions }
        self.base = base
        conditional = base as? any ConditionalStore
        self.options = options
        self.environment = environment
        names = EntryNames(hidingKey: options.hidesNames ? ring.nameKey : nil)
        state = Mutex(State(userKeys: [key], ring: ring))
    }

    /// The capabilities of the base store, with support for all kinds of values and with the limitations of encryption.
    public var capabilities: StoreCapabilities {
        var capabilities = base.capabilities
        capabilities.exactKinds = Set(StoredValue.Kind.allCases)
        capabilities.limitations.append(
            options.hidesNames
                ? "The number, sizes and times of entries are visible without the encryption key."
                : "The keys, number, sizes and times of entries are visible without the encryption key."
        )
        capabilities.limitations.append("Replacing the store or a value with an older copy is not detected.")
        return capabilities
    }
    /// The issue channel of the base store.
    public var issues: IssueChannel { base.issues }
    /// The name of the base store.
    public var inspectionName: String { base.inspectionName }
    /// The kind of the store for inspection tools, which is "encrypted" followed by the kind of the base store.
    public var inspectionKind: String { "encrypted \(base.inspectionKind)" }
    /// The revision of the base store, which also changes when a rotation re-encrypts values.
    public var revision: UInt64 { get throws { try base.revision } }

    /// Returns the value under `key`, or `nil` if there is no value.
    ///
    /// - Parameter key: A key that passes `StoreKey.validate()`.
    /// - Returns: The value exactly as it was set, or `nil` if there is no value for `key`.
    /// - Throws: `StoreError`, with code `damaged` if the stored entry was not encrypted for this key.
    public func get(_ key: StoreKey) throws -> StoredValue? {
        try key.validate()
        return try entry(at: names.place(of: key).baseKey) { key.text }?.contents.value
    }

    /// Returns all entries whose keys begin with exactly the bytes of `prefix`, sorted by key bytes.
    ///
    /// - Parameter prefix: The prefix of the keys to return. The empty string matches all keys.
    /// - Returns: A consistent snapshot of the entries.
    /// - Throws: `StoreError`, with code `damaged` if an entry that must be decrypted is not authentic.
    /// - Complexity: Lists the base and decrypts the matching entries. With hidden names, decrypts every entry.
    public func entries(prefix: String) throws -> [StoreEntry] { try listing(prefix: prefix).entries }

    /// Encrypts `value` and stores it under `key`, replacing any existing value.
    ///
    /// - Parameters:
    ///   - value: Any value except `.null`.
    ///   - key: A key that passes `StoreKey.validate()`.
    /// - Throws: `StoreError` if the write fails, in which case the existing value is kept.
    public func set(_ value: StoredValue, for key: StoreKey) throws {
        try key.validate()
        try value.validate(under: key)
        if value.isPlain, names.keepsKey(key) {
            // This fast path for the common case avoids reference counting.
            try set(value, at: key, sealingName: nil)
        } else {
            let place = names.place(of: key)
            try set(value.canonical, at: place.baseKey, sealingName: place.sealedName)
        }
    }

    /// Encrypts and commits a single value without building a batch.
    private func set(_ value: StoredValue, at key: StoreKey, sealingName name: String?) throws {
        while true {
            let seal = try reserveSeals(1)
            let sealed = try SealedEntry.seal(value, at: key, sealingName: name, cipher: options.cipher, by: seal)
            repeat {
                if try commit(sealed, for: key, inEpoch: seal.storedEpoch) { return }
                // The base rejected the commit because the epoch differed. If the epoch still differs, the value is encrypted again.
                // Otherwise the same encrypted value is committed again.
            } while try refreshedRing().epoch == seal.epoch
        }
    }

    /// Commits an encrypted value to the base store, or returns `false` if the epoch has changed since the value was encrypted.
    private func commit(_ sealed: StoredValue, for key: StoreKey, inEpoch epoch: Int64) throws -> Bool {
        let expectation = StoreBatch.Expectation.value(.int(epoch), at: Self.epochKey)
        // Every encrypted value differs from the stored value, because each encryption uses a new nonce.
        if let conditional { return try conditional.set(sealed, for: key, if: expectation, isFresh: true) }
        return try base.commit(.setting(sealed, for: key, if: expectation))
    }

    /// Commits all writes of `batch` atomically if its expectations hold.
    ///
    /// - Parameters:
    ///   - batch: The expectations to check and the writes to make.
    ///   - durability: The durability to wait for.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if the commit fails. Nothing is changed, unless the error says that the commit was made but could not be
    ///   synced to disk.
    @available(
        *,
        noasync,
        message: "This call may block the current thread on disk I/O. Use `try await commit(_:durability:)`."
    )
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        var commit = try SealedCommit(batch, in: self)
        while let sealed = try commit.next() {
            if try base.commit(sealed, durability: durability) { return true }
        }
        return false
    }

    /// Commits all writes of `batch` atomically if its expectations hold.
    ///
    /// Suspends the current task during disk I/O.
    ///
    /// - Parameters:
    ///   - batch: The expectations to check and the writes to make.
    ///   - durability: The durability to wait for.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if the commit fails. Nothing is changed, unless the error says that the commit was made but could not be
    ///   synced to disk.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        var commit = try SealedCommit(batch, in: self)
        while true {
            // Preparing the batch reads the base and may begin a session there, so it can block on locks.
            let attempt = try await withBlockingWork { [commit] in
                var commit = commit
                return (batch: try commit.next(), commit: commit)
            }
            commit = attempt.commit
            guard let sealed = attempt.batch else { return false }
            if try await base.commit(sealed, durability: durability) { return true }
        }
    }

    /// Commits all writes of `batch` atomically if its expectations hold.
    ///
    /// - Parameter batch: The expectations to check and the writes to make.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if the commit fails. A failed commit changes nothing.
    public func commit(_ batch: StoreBatch) throws -> Bool {
        var commit = try SealedCommit(batch, in: self)
        while let sealed = try commit.next() {
            if try base.commit(sealed) { return true }
        }
        return false
    }

    /// Checks that `value` can be encrypted, and that the base accepts the key of its entry.
    ///
    /// - Parameters:
    ///   - value: The value to check.
    ///   - key: The key to check.
    /// - Throws: The `StoreError` that a commit of `value` under `key` would throw.
    public func validate(_ value: StoredValue, for key: StoreKey) throws {
        try key.validate()
        try value.validate(under: key)
        // The base stores every value as data.
        try base.validate(.data(Data()), for: names.place(of: key).baseKey)
    }

    /// Makes all earlier commits durable.
    ///
    /// Blocks the current thread on disk I/O.
    ///
    /// - Throws: `StoreError` if the commits could not be synced to disk.
    @available(*, noasync, message: "This call blocks the current thread on disk I/O. Use `try await flush()`.")
    public func flush() throws { try base.flush() }

    /// Makes all earlier commits durable.
    ///
    /// Suspends the current task during disk I/O.
    ///
    /// - Throws: `StoreError` if the commits could not be synced to disk.
    public func flush() async throws { try await base.flush() }
}
#endif
