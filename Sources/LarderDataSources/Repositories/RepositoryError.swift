public import Foundation
internal import LarderCore

/// Why a repository's sources do not agree any more.
public struct RepositoryError: Error, Sendable, CustomStringConvertible {
    /// What happened, as a value to compare; new ones may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name that `description` prints.
        public let description: String
        /// A code of your own, in lower camel case.
        public init(_ name: String) { description = name }

        /// The second source failed, and what the first one had been told could not be undone.
        public static let sourcesDiffer = Code("sourcesDiffer")
    }

    /// What happened.
    public let code: Code
    /// One sentence that says what happened and what to do.
    public let message: String
    /// The error of the second source.
    public let underlying: any Error
    /// The error of undoing.
    public let undoError: any Error

    init(_ code: Code, _ message: String, underlying: any Error, undoError: any Error) {
        self.code = code
        self.message = message
        self.underlying = ErrorCause.bounded(underlying)
        self.undoError = ErrorCause.bounded(undoError)
    }

    /// The message, then at most 2,000 bytes of each of the errors.
    public var description: String {
        "\(message) (\(ErrorCause.text(underlying)); undoing it: \(ErrorCause.text(undoError)))"
    }
}

extension RepositoryError: LocalizedError {
    /// The description.
    public var errorDescription: String? { description }
}

extension RepositoryError: ErrorWithCauses {
    package var causes: [any Error] { [underlying, undoError] }
}
