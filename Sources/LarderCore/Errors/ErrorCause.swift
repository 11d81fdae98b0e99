/// An error that may have several underlying errors.
package protocol ErrorWithCauses: Error {
    /// The errors that this error wraps.
    var causes: [any Error] { get }
}

/// An error that may have one underlying error.
package protocol ErrorWithCause: ErrorWithCauses {
    /// The underlying error, if any.
    var underlying: (any Error)? { get }
}

extension ErrorWithCause {
    package var causes: [any Error] { underlying.map { [$0] } ?? [] }
}

/// A namespace for functions that limit the length of error chains and of their descriptions.
///
/// Without these limits, code that wraps the same failure repeatedly would build an unbounded chain.
package enum ErrorCause {
    /// The maximum length of a chain of underlying errors.
    package static let maximumDepth = 8
    /// The maximum length of the description of an underlying error, in UTF-8 bytes.
    package static let maximumLength = 2_000

    /// Returns the error to store as the underlying error of a new error.
    ///
    /// - Parameter error: The error that occurred.
    /// - Returns: `error`, or an error further down its chain if the chain is longer than ``maximumDepth``. The root cause of the longest
    ///   chain is always kept.
    package static func bounded(_ error: any Error) -> any Error {
        var chain: [any Error] = [error]
        while let next = cause(of: chain[chain.count - 1]) { chain.append(next) }
        return chain.count <= maximumDepth ? error : chain[chain.count - maximumDepth]
    }

    /// Returns the error to store as the underlying error of a new error, or `nil` if `error` is `nil`.
    package static func bounded(_ error: (any Error)?) -> (any Error)? { error.map { bounded($0) } }

    /// Returns the underlying error of `error`, or `nil` if there is none.
    ///
    /// If `error` has several underlying errors, returns the one with the longest chain.
    private static func cause(of error: any Error) -> (any Error)? {
        guard let causes = (error as? any ErrorWithCauses)?.causes else { return nil }
        return causes.count > 1 ? causes.max { depth(of: $0) < depth(of: $1) } : causes.first
    }

    /// Returns the length of the chain that begins with this error.
    ///
    /// The recursion is bounded, because a conforming error keeps at most ``maximumDepth`` underlying errors.
    private static func depth(of error: any Error) -> Int {
        1 + ((error as? any ErrorWithCauses)?.causes.map(depth(of:)).max() ?? 0)
    }

    /// Returns the description of an error, truncated to ``maximumLength`` bytes.
    package static func text(_ error: any Error) -> String { bounded("\(error)") }

    /// Returns a string truncated to ``maximumLength`` bytes, with a note of the full length.
    package static func bounded(_ text: String) -> String {
        let bytes = text.utf8
        guard bytes.count > maximumLength else { return text }
        var end = bytes.index(bytes.startIndex, offsetBy: maximumLength)
        while end > bytes.startIndex, Unicode.UTF8.isContinuation(bytes[end]) { end = bytes.index(before: end) }
        return "\(text[..<end])... (\(bytes.count) bytes in all)"
    }

    /// Returns the description of an underlying error in parentheses, or an empty string if there is no error.
    package static func suffix(_ error: (any Error)?) -> String { error.map { " (\(text($0)))" } ?? "" }
}

extension StoreError: ErrorWithCause {}
extension CoreError.Unknown: ErrorWithCause {}
extension CoreError.Failed: ErrorWithCause {}
extension CoreError.DataSerialization: ErrorWithCause {}
