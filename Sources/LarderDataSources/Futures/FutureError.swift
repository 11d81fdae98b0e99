public import Foundation

/// An error that a future produces, such as a timeout.
///
/// Errors thrown by the future's work are passed on unchanged.
public struct FutureError: Error, Sendable, CustomStringConvertible {
    /// A code that identifies the type of an error.
    ///
    /// Later releases of Larder may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, such as `timedOut`.
        public let description: String
        /// Creates a custom code from a name in lower camel case.
        public init(_ name: String) { description = name }

        /// The future did not settle within its time limit.
        ///
        /// The work was cancelled, but a write may have happened.
        public static let timedOut = Code("timedOut")
        /// A source did not confirm a write within the time limit.
        ///
        /// The write may have happened or may still happen.
        public static let mayHaveHappened = Code("mayHaveHappened")
        /// A call would have blocked the main thread until a pending future settles.
        public static let wouldBlockMainThread = Code("wouldBlockMainThread")
        /// The resolver was released without settling its future.
        public static let abandoned = Code("abandoned")
    }

    /// The code that identifies the error.
    public let code: Code
    /// A message that describes what happened and what to do.
    public let message: String

    /// Creates an error with a code and a message.
    ///
    /// - Parameters:
    ///   - code: The code that identifies the error.
    ///   - message: A message that describes what happened and what to do.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The same text as ``message``.
    public var description: String { message }
}

extension FutureError: LocalizedError {
    /// The same text as ``message``.
    public var errorDescription: String? { message }
}

extension FutureError {
    /// Returns the error for a future that did not settle within its time limit.
    static func timedOut(_ limit: Duration) -> FutureError {
        FutureError(
            .timedOut,
            "The future did not settle within \(limit), but a write may have happened, or an outbox may still send it. Read the value before you write again."
        )
    }

    /// Returns the error for a write that the source did not confirm within the time limit.
    static func mayHaveHappened(_ limit: Duration) -> FutureError {
        FutureError(
            .mayHaveHappened,
            "The source did not confirm a write within the time limit of \(limit), so the write may or may not have happened. Read the value before you write again."
        )
    }

    /// Returns the error for a read that exceeded its time limit.
    static func unanswered(_ limit: Duration) -> FutureError {
        FutureError(
            .timedOut,
            "The source did not respond to a read within the time limit of \(limit), so the read was cancelled. Try again, or raise the time limit."
        )
    }
}
