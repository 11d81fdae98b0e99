/// An error thrown by a store.
///
/// A call that throws this error has changed nothing, unless a commit was made but could not be synced to disk. In that case, the message
/// says so.
public struct StoreError: Error, Sendable {
    /// A code that identifies what went wrong.
    ///
    /// New codes may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        /// Creates a code for a custom store.
        ///
        /// - Parameter name: A name in lower camel case.
        public init(_ name: String) { description = name }

        /// The key is longer than ``StoreKey/maximumLength`` bytes.
        public static let keyTooLong = Code("keyTooLong")
        /// The key is in the namespace reserved for Larder.
        public static let reservedKey = Code("reservedKey")
        /// The store can't represent the value without loss.
        public static let unsupportedValue = Code("unsupportedValue")
        /// The file is corrupt and was left unchanged.
        public static let damaged = Code("damaged")
        /// Another process or thread did not release the store's lock in time, or the calling thread already holds the lock.
        public static let busy = Code("busy")
        /// The write failed because the disk is full.
        public static let diskFull = Code("diskFull")
        /// An I/O operation failed.
        public static let inputOutput = Code("inputOutput")
        /// The file can't be opened because the process or the system has reached its limit of open files.
        ///
        /// The file itself is not affected. Try again after closing other files or raising the limit.
        public static let tooManyOpenFiles = Code("tooManyOpenFiles")
        /// The system can't start a thread that the store needs.
        public static let tooManyThreads = Code("tooManyThreads")
        /// The operating system denied access.
        public static let notPermitted = Code("notPermitted")
        /// The store was closed, or an earlier failure made it unusable until it is reopened.
        public static let closed = Code("closed")
        /// The store was opened read-only.
        public static let readOnly = Code("readOnly")
        /// The file was written by a newer version of Larder.
        public static let newerFormat = Code("newerFormat")
        /// The location of the store can't be determined, for example because the user has no home folder.
        public static let noLocation = Code("noLocation")
        /// A path or option is invalid.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// A value that a transaction has read was changed by another writer, or by the transaction's body through the store itself.
        ///
        /// Don't catch this error inside the body: the store retries the transaction. If the transaction itself throws this error, no
        /// attempt could be committed.
        public static let conflict = Code("conflict")
        /// The store has no cluster that could confirm a ``Durability/replicated`` commit.
        public static let notReplicated = Code("notReplicated")
        /// The cluster did not confirm a ``Durability/replicated`` commit in time.
        ///
        /// The message says whether the commit may have been made.
        public static let notConfirmed = Code("notConfirmed")
        /// Too many commits wait for the cluster.
        public static let queueFull = Code("queueFull")
        /// The batch exceeds the ``StoreCapabilities/limits`` of the store.
        public static let batchTooLarge = Code("batchTooLarge")
        /// The store cannot hold an entry with this key, because of its ``StoreCapabilities/limits``.
        public static let unsupportedKey = Code("unsupportedKey")
    }

    /// The code that identifies what went wrong.
    public let code: Code
    /// A message that says what happened and what to do.
    public let message: String
    /// The affected key, or `nil` if the error is not limited to one key.
    public let key: String?
    /// The path of the affected file, or `nil` if no file is affected.
    public let path: String?
    /// The byte offset of the corruption in the file at `path`, if known.
    public let offset: Int?
    /// The underlying error, if any.
    public let underlying: (any Error)?

    /// Creates a store error.
    ///
    /// - Parameters:
    ///   - code: The code that identifies what went wrong.
    ///   - message: A message that says what happened and what to do.
    ///   - key: The affected key, if the error affects a single key.
    ///   - path: The path of the affected file.
    ///   - offset: The byte offset of the corruption in the file.
    ///   - underlying: The error that caused this one.
    public init(
        _ code: Code,
        _ message: String,
        key: String? = nil,
        path: String? = nil,
        offset: Int? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.key = key
        self.path = path
        self.offset = offset
        self.underlying = ErrorCause.bounded(underlying)
    }
}

extension StoreError {
    static func keyTooLong(_ key: StoreKey) -> StoreError {
        StoreError(
            .keyTooLong,
            "The key has \(key.length) bytes, more than the maximum of \(StoreKey.maximumLength). Use a shorter key, such as a hash.",
            key: String(decoding: key.text.utf8.prefix(64), as: UTF8.self)
        )
    }

    static func reservedKey(_ key: StoreKey) -> StoreError {
        StoreError(
            .reservedKey,
            "Keys that begin with U+0000 followed by \"larder\" are reserved for Larder. Choose another key.",
            key: key.text
        )
    }

    static func unsupportedValue(
        at key: StoreKey,
        reason: String,
        advice: String = "Change the value, then store it again",
        underlying: (any Error)? = nil
    ) -> StoreError {
        StoreError(
            .unsupportedValue,
            "The value for \(key) can't be stored because \(reason). \(advice).",
            key: key.text,
            underlying: underlying
        )
    }

    /// Returns the error for a commit that was made but could not be synced to disk.
    ///
    /// The error has the code of the underlying error, except that `busy` becomes `inputOutput`, because callers retry after `busy` and
    /// would repeat the commit.
    package static func unconfirmed(_ path: String, by error: any Error) -> StoreError {
        let code = (error as? StoreError)?.code ?? .inputOutput
        return StoreError(
            code == .busy ? .inputOutput : code,
            "The commit to \(path.debugDescription) was made but could not be synced to disk, so a power loss may undo it. Check the disk, and do not repeat the commit.",
            path: path,
            underlying: error
        )
    }

    static let notReplicated = StoreError(
        .notReplicated,
        "This store is not replicated, so no cluster can confirm the commit. Use a ReplicatedStore, or commit with the durability .synced."
    )

    static let conflict = StoreError(
        .conflict,
        "Another writer changed a value that this transaction had read. Rethrow this error, so that the transaction can be retried."
    )
}

extension StoreError: CustomStringConvertible {
    /// The message, followed by at most 2,000 bytes of the underlying error's description.
    public var description: String { message + ErrorCause.suffix(underlying) }
}
