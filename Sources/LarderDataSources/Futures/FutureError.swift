public import Foundation

/// Why a future has no value to give, apart from the error of the work itself.
public struct FutureError: Error, Sendable, CustomStringConvertible {
    /// What happened, as a value to compare; new ones may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name that `description` prints.
        public let description: String
        /// A code of your own, in lower camel case.
        public init(_ name: String) { description = name }

        /// The work was not done in time; it was cancelled.
        public static let timedOut = Code("timedOut")
        /// The main thread was about to wait for a future that has not settled.
        public static let wouldBlockMainThread = Code("wouldBlockMainThread")
        /// The resolver was released without settling the future.
        public static let abandoned = Code("abandoned")
    }

    /// What happened.
    public let code: Code
    /// One sentence that says what happened and what to do.
    public let message: String

    /// An error.
    ///
    /// - Parameters:
    ///   - code: What happened.
    ///   - message: One sentence that says what happened and what to do.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

extension FutureError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}
