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

/// A store that keeps everything sealed in another store, its base: nobody without the key reads a value, and nobody changes or
/// moves one unnoticed.
///
/// ```swift
/// let store = try EncryptedStore(base, key: key)
/// try store.set("s3cret", for: "token")
/// ```
///
/// It behaves like any other store. The base is its own: it begins empty, and nothing else writes to it but other instances,
/// in this process or another one, with the same key. What is promised, and what is not, is said in <doc:Encryption>.
///
/// **Cost.** A write seals each value with one call of the cipher, a read opens one. With hidden names either also computes a
/// keyed hash of the key, and listing by any prefix opens every entry. An expected value is read and opened before the commit.
public final class EncryptedStore: KeyValueStore {
    /// How a new store seals.
    public struct Options: Sendable, Hashable {
        /// How values are sealed.
        public var cipher: Cipher
        /// Whether key names are hidden as well.
        ///
        /// Listing by a prefix then costs what listing everything costs.
        public var hidesNames: Bool

        /// Options.
        ///
        /// - Parameters:
        ///   - cipher: How values are sealed.
        ///   - hidesNames: Whether key names are hidden as well.
        public init(cipher: Cipher = .aesGCM, hidesNames: Bool = false) {
            self.cipher = cipher
            self.hidesNames = hidesNames
        }
    }

    /// What tests replace.
    package struct Environment: Sendable {
        package var randomBytes: @Sendable (_ count: Int) -> [UInt8] = { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
        package var sealsPerSession: UInt64 = 1 << 32
        /// How many entries are sealed anew in one commit of a rotation.
        package var entriesPerRotationCommit = 64

        /// What every store has.
        package init() {}
    }

    struct State: ~Copyable {
        /// What may open the header, the newest first: the key given or last changed to through this instance, and those of changes
        /// that are under way or were not confirmed.
        ///
        /// Each change adds the one it changes to, and takes out the one it has replaced: whichever of two is over first, the one that
        /// opens the header is here, as long as it is counted how often. What another instance has changed may leave one here that
        /// opens nothing any more.
        var userKeys: [SymmetricKey]
        var ring: KeyRing
        /// What this instance seals with; begun by its first write.
        var session: SealingSession?
        /// Keys of sessions of which an entry was opened.
        var sessionKeys: [UInt32: SymmetricKey] = [:]
    }

    /// The store that holds what is sealed.
    public let base: any KeyValueStore
    /// How this store seals; as it was made.
    public let options: Options
    let environment: Environment
    /// The base, if it commits a single key without the detour of a batch.
    private let conditional: (any ConditionalStore)?
    let names: EntryNames
    let state: Mutex<State>
    let observations = BaseObservations()

    /// Opens the encrypted store in `base`, or makes one there when `base` is empty.
    ///
    /// - Parameters:
    ///   - base: Holds what is sealed, and nothing else; one that holds `data` exactly.
    ///   - key: At least 128 random bits, such as `SymmetricKey(size: .bits256)`; not a password.
    ///   - options: How a new store seals; for one that is there, what it was made with.
    /// - Throws: ``StoreError`` with code `wrongKey`, `damaged`, `newerFormat`, `invalidConfiguration` (other options, a short
    ///   key, a base that can't hold what is sealed or has entries of others; of a `DeviceStore` also records of Larder's own), or what
    ///   the base throws. Nothing was changed then.
    public convenience init(_ base: any KeyValueStore, key: SymmetricKey, options: Options = Options()) throws {
        try self.init(base, key: key, options: options, environment: Environment())
    }

    package init(_ base: any KeyValueStore, key: SymmetricKey, options: Options, environment: Environment) throws {
        guard key.bitCount >= 128 else { throw StoreError.weakKey }
        guard base.capabilities.exactKinds.contains(.data) else { throw StoreError.baseWithoutData }
        let ring = try Self.ring(in: base, userKey: key, options: options, environment: environment)
        guard ring.options == options else { throw StoreError.otherOptions }
        self.base = base
        conditional = base as? any ConditionalStore
        self.options = options
        self.environment = environment
        names = EntryNames(hidingKey: options.hidesNames ? ring.nameKey : nil)
        state = Mutex(State(userKeys: [key], ring: ring))
    }

    /// The base's, with every kind of value, and with what encryption does not hide or notice.
    public var capabilities: StoreCapabilities {
        var capabilities = base.capabilities
        capabilities.exactKinds = Set(StoredValue.Kind.allCases)
        capabilities.limitations.append(
            options.hidesNames
                ? "The number, sizes and times of entries can be seen without the key."
                : "The keys, and the number, sizes and times of entries, can be seen without the key."
        )
        capabilities.limitations.append("An older copy of the store or of one value put back in place is not noticed.")
        return capabilities
    }
    /// The base's.
    public var issues: IssueChannel { base.issues }
    /// The base's name.
    public var inspectionName: String { base.inspectionName }
    /// "encrypted" and the base's kind.
    public var inspectionKind: String { "encrypted \(base.inspectionKind)" }
    /// The base's: it also changes when a value is sealed anew.
    public var revision: UInt64 { get throws { try base.revision } }

    /// The value under `key`, or `nil` when there is none.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Returns: The value exactly as it was set.
    /// - Throws: ``StoreError``; with code `damaged` when what lies there was not sealed for this key.
    public func get(_ key: StoreKey) throws -> StoredValue? {
        try key.validate()
        return try entry(at: names.place(of: key).baseKey) { key.text }?.contents.value
    }

    /// The entries whose key begins with exactly the bytes of `prefix`, sorted by key bytes.
    ///
    /// - Parameter prefix: The empty text lists everything.
    /// - Returns: The entries at one moment.
    /// - Throws: ``StoreError``; with code `damaged` when one entry that had to be opened is not what was sealed there.
    /// - Complexity: What listing costs in the base, and opening what is found; with hidden names opening every entry.
    public func entries(prefix: String) throws -> [StoreEntry] { try listing(prefix: prefix).entries }

    /// Seals `value` and keeps it under `key`, replacing any earlier value.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    public func set(_ value: StoredValue, for key: StoreKey) throws {
        try key.validate()
        try value.validate(under: key)
        if value.isPlain, names.keep(key) {
            // What most are: no reference is counted.
            try set(value, at: key, sealingName: nil)
        } else {
            let place = names.place(of: key)
            try set(value.canonical, at: place.baseKey, sealingName: place.sealedName)
        }
    }

    /// Seals and commits one value: what most commits are, without the detour of a batch of the user's.
    private func set(_ value: StoredValue, at key: StoreKey, sealingName name: String?) throws {
        while true {
            let seal = try reserveSeals(1)
            let sealed = try SealedEntry.seal(value, at: key, sealingName: name, cipher: options.cipher, by: seal)
            repeat {
                if try commit(sealed, for: key, inEpoch: seal.storedEpoch) { return }
                // The base has refused it: another epoch, under which the value must be sealed anew, or one that came back.
            } while try refreshedRing().epoch == seal.epoch
        }
    }

    /// Commits one sealed value to the base, unless the epoch is no longer the one it was sealed in.
    private func commit(_ sealed: StoredValue, for key: StoreKey, inEpoch epoch: Int64) throws -> Bool {
        let expectation = StoreBatch.Expectation.value(.int(epoch), at: Self.epochKey)
        // No sealed value comes twice: each has a nonce of its own.
        if let conditional { return try conditional.set(sealed, for: key, if: expectation, isFresh: true) }
        return try base.commit(.setting(sealed, for: key, if: expectation))
    }

    /// Carries out all writes of `batch`, or none.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - durability: How far the commit has come when this returns.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``. Then nothing was changed, unless the error says that the commit was made and that the disk then did
    ///   not confirm it.
    @available(*, noasync, message: "This call may wait for the disk: use `try await commit(_:durability:)`.")
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        var commit = try SealedCommit(batch, in: self)
        while let sealed = try commit.next() {
            if try base.commit(sealed, durability: durability) { return true }
        }
        return false
    }

    /// Carries out all writes of `batch`, or none, suspending while the disk works.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - durability: How far the commit has come when this returns.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``. Then nothing was changed, unless the error says that the commit was made and that the disk then did
    ///   not confirm it.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        var commit = try SealedCommit(batch, in: self)
        while true {
            // Reads the base and may begin a session there: it may wait for locks.
            let attempt = try await withBlockingWork { [commit] in
                var commit = commit
                return (batch: try commit.next(), commit: commit)
            }
            commit = attempt.commit
            guard let sealed = attempt.batch else { return false }
            if try await base.commit(sealed, durability: durability) { return true }
        }
    }

    /// Carries out all writes of `batch`, or none.
    ///
    /// - Parameter batch: What must hold and what to write.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``; then nothing was changed.
    public func commit(_ batch: StoreBatch) throws -> Bool {
        var commit = try SealedCommit(batch, in: self)
        while let sealed = try commit.next() {
            if try base.commit(sealed) { return true }
        }
        return false
    }

    /// Checks that `value` can be sealed, and that the base would take the key it is kept under there.
    ///
    /// - Parameters:
    ///   - value: What would be written.
    ///   - key: Where.
    /// - Throws: ``StoreError``, as a commit would.
    public func validate(_ value: StoredValue, for key: StoreKey) throws {
        try key.validate()
        try value.validate(under: key)
        // Whatever the value is, the base is given data.
        try base.validate(.data(Data()), for: names.place(of: key).baseKey)
    }

    /// Makes every commit so far as durable as the base can.
    ///
    /// - Throws: ``StoreError`` when the medium did not confirm.
    @available(*, noasync, message: "This call waits for the disk: use `try await flush()`.")
    public func flush() throws { try base.flush() }

    /// The suspending form of ``flush()-(Void)``.
    ///
    /// - Throws: ``StoreError`` when the medium did not confirm.
    public func flush() async throws { try await base.flush() }
}
#endif
