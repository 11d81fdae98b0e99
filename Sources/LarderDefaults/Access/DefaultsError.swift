internal import LarderCore

/// An error that is thrown when the value of a typed key can't be read or written.
///
/// When this error is thrown, nothing has been written. Errors that occur in the store itself are thrown as `StoreError`. See
/// ``DefaultsAdapter/read(_:)-(DefaultsKey<Value>)``.
public struct DefaultsError: Error, Sendable, CustomStringConvertible {
    /// The code of a ``DefaultsError``.
    ///
    /// Any release may add new codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, such as "absent".
        public let description: String
        private init(_ name: String) { description = name }

        /// Nothing is stored under the key.
        public static let absent = Code("absent")
        /// The stored value has a type that can't be converted to the key's type.
        public static let wrongType = Code("wrongType")
        /// The stored value has a suitable type but can't be decoded.
        public static let undecodable = Code("undecodable")
        /// The stored value was written with a higher version of the key than this program supports.
        public static let newerVersion = Code("newerVersion")
        /// The key's validation rejected the value.
        public static let rejected = Code("rejected")
        /// The value to write can't be encoded.
        public static let notEncodable = Code("notEncodable")
        /// The body of a transaction wrote one of the transaction's keys through an adapter instead of the closure's argument.
        public static let nestedWrite = Code("nestedWrite")
        /// The result of an increment does not fit in the number's type.
        public static let overflow = Code("overflow")
    }

    /// The code that identifies the kind of error.
    public let code: Code
    /// A message that says what happened and what to do.
    public let message: String
    /// The name of the key that was read or written.
    public let key: String
    /// The underlying error that caused this error, or `nil` if there is none.
    public let underlying: (any Error)?

    init(_ code: Code, _ message: String, key: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.key = key
        self.underlying = ErrorCause.bounded(underlying)
    }

    /// The message, followed by at most 2,000 bytes that describe the underlying error.
    public var description: String { message + ErrorCause.suffix(underlying) }
}

extension DefaultsError: ErrorWithCause {}
