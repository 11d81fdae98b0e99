public import Foundation

/// Why a future has no value to give, apart from the error of the work itself.
public struct FutureError: Error, Sendable, CustomStringConvertible {
    /// What happened, as a value to compare; new ones may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name that `description` prints.
        public let description: String
        /// A code of your own, in lower camel case.
        public init(_ name: String) { description = name }

        /// There was no outcome in time, and the work was asked to stop.
        ///
        /// A write may have happened all the same.
        public static let timedOut = Code("timedOut")
        /// A source did not confirm a write within its time limit: it may have happened, now or later.
        public static let mayHaveHappened = Code("mayHaveHappened")
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

extension FutureError {
    /// A future that had no outcome in time.
    static func timedOut(_ limit: Duration) -> FutureError {
        FutureError(
            .timedOut,
            "There was no outcome within \(limit). The work was asked to stop; if it was a write, it may have happened or, through an outbox, may still be sent: read the value before you write it again."
        )
    }

    /// A write that its source did not confirm in time.
    static func mayHaveHappened(_ limit: Duration) -> FutureError {
        FutureError(
            .mayHaveHappened,
            "The source did not confirm a write within \(limit), its time limit. The write was asked to stop and may have happened: read the value before you write it again."
        )
    }

    /// A read that its source did not answer in time.
    static func unanswered(_ limit: Duration) -> FutureError {
        FutureError(
            .timedOut,
            "The source did not answer a read within \(limit), its time limit. The read was asked to stop: read again, or give the source more time."
        )
    }
}
