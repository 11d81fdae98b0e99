/// A failure in a call that cannot throw: a subscript, a property wrapper, a bridge, the `UserDefaults` facade.
///
/// Nothing was changed by the call that reports one, and it returned the value its documentation names. Every such call has
/// a twin that throws instead.
public struct LarderIssue: Sendable, CustomStringConvertible {
    /// What happened, as a value to compare; new ones may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name that `description` prints.
        public let description: String

        /// A code of your own.
        ///
        /// - Parameter name: In lower camel case.
        public init(_ name: String) { description = name }

        /// A value could not be read.
        public static let readFailed = Code("readFailed")
        /// A value could not be written; the earlier one is still there.
        public static let writeFailed = Code("writeFailed")
        /// Something is stored that does not convert to the type asked for.
        public static let notConvertible = Code("notConvertible")
        /// A value was converted and lost something on the way, such as 2.7 read as 2.
        public static let lossyConversion = Code("lossyConversion")
        /// A value of a type that can't be stored was given.
        public static let unsupportedValue = Code("unsupportedValue")
        /// A file is damaged: part of it was left out, it was moved aside, or it is read-only from now on.
        public static let damaged = Code("damaged")
        /// A promise could not be kept for a while, such as a sync that was late.
        public static let degraded = Code("degraded")
        /// A store could not be opened; nothing is read or kept until it can be.
        public static let unavailable = Code("unavailable")
        /// Values that an earlier version kept elsewhere are there, and not shown.
        public static let earlierValues = Code("earlierValues")
    }

    /// What happened.
    public let code: Code
    /// One sentence that says what happened and what to do.
    public let message: String
    /// The key concerned, if it is one key.
    public let key: String?
    /// The error beneath, if there was one.
    public let underlying: (any Error)?

    /// An issue.
    ///
    /// - Parameters:
    ///   - code: What happened.
    ///   - message: One sentence that says what happened and what to do.
    ///   - key: The key concerned.
    ///   - underlying: The error beneath.
    public init(_ code: Code, _ message: String, key: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.key = key
        self.underlying = ErrorCause.bounded(underlying)
    }

    /// The code, the whole message, then at most 2,000 bytes of the error beneath.
    public var description: String { "\(code): \(message)" + ErrorCause.suffix(underlying) }
}
