/// A failure in a call that can't throw, such as a subscript, a property wrapper, a bridge or the `UserDefaults` facade.
///
/// A call that reports an issue changes nothing and returns its documented fallback. Each such call has a throwing counterpart.
public struct LarderIssue: Sendable, CustomStringConvertible {
    /// A code that identifies what went wrong.
    ///
    /// New codes may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        /// Creates a custom issue code.
        ///
        /// - Parameter name: A name in lower camel case.
        public init(_ name: String) { description = name }

        /// A value could not be read.
        public static let readFailed = Code("readFailed")
        /// A value could not be written.
        ///
        /// The previous value is kept.
        public static let writeFailed = Code("writeFailed")
        /// The stored value can't be converted to the requested type.
        public static let notConvertible = Code("notConvertible")
        /// A conversion lost information, as when 2.7 is read as 2.
        public static let lossyConversion = Code("lossyConversion")
        /// The type of the given value cannot be stored.
        public static let unsupportedValue = Code("unsupportedValue")
        /// A file is corrupt.
        ///
        /// The message says whether a part of the file was skipped, the file was moved to another path, or the file is now read-only.
        public static let damaged = Code("damaged")
        /// A guarantee was temporarily not met, for example because a sync was delayed.
        public static let degraded = Code("degraded")
        /// A store could not be opened.
        ///
        /// Nothing is read or written until the store can be opened.
        public static let unavailable = Code("unavailable")
        /// Values written by an earlier version exist in another location and can't be read from the current location.
        public static let earlierValues = Code("earlierValues")
    }

    /// The code that identifies what went wrong.
    public let code: Code
    /// A message that says what happened and what to do.
    public let message: String
    /// The affected key, or `nil` if the issue does not affect a single key.
    public let key: String?
    /// The underlying error, if any.
    public let underlying: (any Error)?

    /// Creates an issue to report.
    ///
    /// - Parameters:
    ///   - code: The code that identifies what went wrong.
    ///   - message: A message that says what happened and what to do.
    ///   - key: The affected key.
    ///   - underlying: The underlying error.
    public init(_ code: Code, _ message: String, key: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.key = key
        self.underlying = ErrorCause.bounded(underlying)
    }

    /// The code and the message, followed by at most 2,000 bytes of the underlying error's description.
    public var description: String { "\(code): \(message)" + ErrorCause.suffix(underlying) }
}
