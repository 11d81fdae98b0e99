internal import LarderCore

/// Why a typed key could not be read or written; see ``DefaultsAdapter/read(_:)-(DefaultsKey<Value>)``.
///
/// Nothing was changed when it is thrown. What the store itself can't do is thrown as its `StoreError`.
public struct DefaultsError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, as a value to compare; new ones may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name that `description` prints.
        public let description: String
        private init(_ name: String) { description = name }

        /// Nothing is stored under the key.
        public static let absent = Code("absent")
        /// What is stored is of a kind that does not convert to the key's type.
        public static let wrongType = Code("wrongType")
        /// What is stored has the right kind and does not decode.
        public static let undecodable = Code("undecodable")
        /// What is stored was written with a higher version of the key than this program knows.
        public static let newerVersion = Code("newerVersion")
        /// The key's validation refuses the value.
        public static let rejected = Code("rejected")
        /// The value can't be encoded.
        public static let notEncodable = Code("notEncodable")
        /// The body of a transaction writes a key that the transaction has read or written, and not through the transaction.
        public static let nestedWrite = Code("nestedWrite")
        /// The number would be too large or too small for its type.
        public static let overflow = Code("overflow")
    }

    /// What went wrong.
    public let code: Code
    /// One sentence that says what happened and what to do.
    public let message: String
    /// The name of the key.
    public let key: String
    /// The error beneath, if there was one.
    public let underlying: (any Error)?

    init(_ code: Code, _ message: String, key: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.key = key
        self.underlying = ErrorCause.bounded(underlying)
    }

    /// The message, then at most 2,000 bytes of the error beneath.
    public var description: String { message + ErrorCause.suffix(underlying) }
}

extension DefaultsError: ErrorWithCause {}
