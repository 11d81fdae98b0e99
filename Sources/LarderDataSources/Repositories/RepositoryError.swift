public import Foundation
internal import LarderCore

/// An error that occurs when a failed write leaves a repository's sources with different values.
public struct RepositoryError: Error, Sendable, CustomStringConvertible {
    /// A code that identifies the type of an error.
    ///
    /// Later releases of Larder may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, such as `sourcesDiffer`.
        public let description: String
        /// Creates a custom code from a name in lower camel case.
        public init(_ name: String) { description = name }

        /// The second source failed, and the write to the first source could not be undone.
        public static let sourcesDiffer = Code("sourcesDiffer")
    }

    /// The code that identifies the error.
    public let code: Code
    /// A message that describes what happened and what to do.
    public let message: String
    /// The error of the write to the second source.
    public let underlying: any Error
    /// The error that occurred in the attempt to undo the first write.
    public let undoError: any Error

    init(_ code: Code, _ message: String, underlying: any Error, undoError: any Error) {
        self.code = code
        self.message = message
        self.underlying = ErrorCause.bounded(underlying)
        self.undoError = ErrorCause.bounded(undoError)
    }

    /// The message, followed by the descriptions of ``underlying`` and ``undoError``, each truncated to 2,000 bytes.
    public var description: String {
        "\(message) (\(ErrorCause.text(underlying)); undoing the first write failed: \(ErrorCause.text(undoError)))"
    }
}

extension RepositoryError: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}

extension RepositoryError: ErrorWithCauses {
    package var causes: [any Error] { [underlying, undoError] }
}
