#if Inspector
/// An error of an ``Inspector``.
public struct InspectorError: Error, Sendable, CustomStringConvertible {
    /// A code that identifies what went wrong.
    ///
    /// New codes may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        /// Creates a code.
        ///
        /// - Parameter name: A name in lower camel case.
        public init(_ name: String) { description = name }

        /// The options contradict each other or are not allowed together.
        public static let invalidOptions = Code("invalidOptions")
        /// The certificate or its private key can't be read.
        public static let invalidCertificate = Code("invalidCertificate")
        /// The server can't listen at the address.
        public static let notListening = Code("notListening")
        /// The inspector runs already, or has ended.
        public static let alreadyRun = Code("alreadyRun")
    }

    /// The code that identifies what went wrong.
    public let code: Code
    /// A message that says what happened and what to do.
    public let message: String
    /// The underlying error, if any.
    public let underlying: (any Error)?

    init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message, followed by the underlying error.
    public var description: String { message + (underlying.map { " (\($0))" } ?? "") }

    static let invalidToken = InspectorError(
        .invalidOptions,
        "The token of the inspector is invalid. Use 32 hexadecimal digits from a secure random generator, or omit it."
    )
}
#endif
