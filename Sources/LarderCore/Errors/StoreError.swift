/// Why a store could not do what it was asked.
///
/// Nothing was changed when it is thrown, with one exception that the message names: a commit that is in place, and that the disk did
/// not confirm.
public struct StoreError: Error, Sendable {
    /// What went wrong, as a value to compare; new ones may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name that `description` prints.
        public let description: String

        /// A code of your own, for a store of your own.
        ///
        /// - Parameter name: In lower camel case.
        public init(_ name: String) { description = name }

        /// The key has more than ``StoreKey/maximumLength`` bytes.
        public static let keyTooLong = Code("keyTooLong")
        /// The key lies in the space that is reserved for Larder.
        public static let reservedKey = Code("reservedKey")
        /// This store cannot hold the value exactly.
        public static let unsupportedValue = Code("unsupportedValue")
        /// What is on disk is not what was written.
        ///
        /// The file was left as it is.
        public static let damaged = Code("damaged")
        /// Another process or thread did not release the store's lock in time, or this thread has it already.
        public static let busy = Code("busy")
        /// The disk is full.
        public static let diskFull = Code("diskFull")
        /// Reading or writing failed.
        public static let inputOutput = Code("inputOutput")
        /// No further file can be opened: the limit of the process or of the operating system is reached.
        ///
        /// Nothing is wrong with the file. The call works once other files are closed or the limit is raised.
        public static let tooManyOpenFiles = Code("tooManyOpenFiles")
        /// The operating system starts no further thread, and the store needs one.
        public static let tooManyThreads = Code("tooManyThreads")
        /// The operating system refused access.
        public static let notPermitted = Code("notPermitted")
        /// The store was closed, or an earlier failure made it unusable until it is opened again.
        public static let closed = Code("closed")
        /// The store was opened for reading only.
        public static let readOnly = Code("readOnly")
        /// The file was written by a newer version of Larder.
        public static let newerFormat = Code("newerFormat")
        /// There is no place for the store, such as a user without a home folder.
        public static let noLocation = Code("noLocation")
        /// The path or option given cannot be used.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// What a transaction had read was changed by another writer, or by the transaction's own body through the store.
        ///
        /// Inside the body let it pass: the transaction runs again. Thrown by the transaction itself it means that no attempt could
        /// be committed.
        public static let conflict = Code("conflict")
    }

    /// What went wrong.
    public let code: Code
    /// One sentence that says what happened and what to do.
    public let message: String
    /// The key concerned, if it is one key.
    public let key: String?
    /// The file concerned, if there is one.
    public let path: String?
    /// The offset in that file, in bytes, for damage whose place is known.
    public let offset: Int?
    /// The error beneath, if there was one.
    public let underlying: (any Error)?

    /// An error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: One sentence that says what happened and what to do.
    ///   - key: The key concerned.
    ///   - path: The file concerned.
    ///   - offset: The offset in that file.
    ///   - underlying: The error beneath.
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
            "A key of \(key.length) bytes is longer than the \(StoreKey.maximumLength) that are allowed: use a shorter one, such as a hash of it.",
            key: String(decoding: key.text.utf8.prefix(64), as: UTF8.self)
        )
    }

    static func reservedKey(_ key: StoreKey) -> StoreError {
        StoreError(
            .reservedKey,
            "Keys that begin with U+0000 'larder' are Larder's own: choose another key.",
            key: key.text
        )
    }

    static func unsupportedValue(
        at key: StoreKey,
        reason: String,
        underlying: (any Error)? = nil
    ) -> StoreError {
        StoreError(
            .unsupportedValue,
            "The value for \(key) can't be stored: \(reason).",
            key: key.text,
            underlying: underlying
        )
    }

    /// What a commit throws that was made, and of which nobody knows whether it is on the disk.
    ///
    /// With the code of what is beneath, for a store that is closed by it is closed; but never with one after which one tries again, and
    /// would do it twice.
    package static func unconfirmed(_ path: String, by error: any Error) -> StoreError {
        let code = (error as? StoreError)?.code ?? .inputOutput
        return StoreError(
            code == .busy ? .inputOutput : code,
            "The commit to \(path) is in place, but the disk did not confirm it: it may not survive a power loss.",
            path: path,
            underlying: error
        )
    }

    static let conflict = StoreError(
        .conflict,
        "Another writer changed what this transaction had read: let this error pass, it runs again."
    )
}

extension StoreError: CustomStringConvertible {
    /// The message, then at most 2,000 bytes of the error beneath.
    public var description: String { message + ErrorCause.suffix(underlying) }
}
