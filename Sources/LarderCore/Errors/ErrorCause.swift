/// An error that may have others beneath it.
package protocol ErrorWithCauses: Error {
    /// The errors beneath.
    var causes: [any Error] { get }
}

/// An error that may have another beneath it.
package protocol ErrorWithCause: ErrorWithCauses {
    /// The error beneath, if there was one.
    var underlying: (any Error)? { get }
}

extension ErrorWithCause {
    package var causes: [any Error] { underlying.map { [$0] } ?? [] }
}

/// Bounds the errors that lie beneath one another, and what descriptions say of them.
///
/// Code that wraps the same failure again and again would otherwise make a chain without end: each description repeats all that lies
/// beneath, and releasing the chain takes a stack frame for each error.
package enum ErrorCause {
    /// How many errors lie beneath one at most.
    package static let maximumDepth = 8
    /// How many bytes of UTF-8 a description says of the error beneath at most.
    package static let maximumLength = 2_000

    /// The error to keep beneath a new one.
    ///
    /// - Parameter error: What happened.
    /// - Returns: `error`; or, if as many lie beneath it as may, the nearest of them that leaves room for the new one. The first error of
    ///   the longest chain is always kept.
    package static func bounded(_ error: any Error) -> any Error {
        var chain: [any Error] = [error]
        while let next = cause(of: chain[chain.count - 1]) { chain.append(next) }
        return chain.count <= maximumDepth ? error : chain[chain.count - maximumDepth]
    }

    /// The error to keep beneath a new one, if there is one.
    package static func bounded(_ error: (any Error)?) -> (any Error)? { error.map { bounded($0) } }

    /// The error beneath another; of several the one beneath which most lie.
    private static func cause(of error: any Error) -> (any Error)? {
        guard let causes = (error as? any ErrorWithCauses)?.causes else { return nil }
        return causes.count > 1 ? causes.max { depth(of: $0) < depth(of: $1) } : causes.first
    }

    /// How many errors lie beneath one another, this one included.
    ///
    /// Recursion ends soon: an error that conforms keeps no more than ``maximumDepth`` beneath itself.
    private static func depth(of error: any Error) -> Int {
        1 + ((error as? any ErrorWithCauses)?.causes.map(depth(of:)).max() ?? 0)
    }

    /// The description of an error, cut after ``maximumLength`` bytes.
    package static func text(_ error: any Error) -> String { bounded("\(error)") }

    /// A text, cut after ``maximumLength`` bytes, which it then says.
    package static func bounded(_ text: String) -> String {
        let bytes = text.utf8
        guard bytes.count > maximumLength else { return text }
        var end = bytes.index(bytes.startIndex, offsetBy: maximumLength)
        while end > bytes.startIndex, Unicode.UTF8.isContinuation(bytes[end]) { end = bytes.index(before: end) }
        return "\(text[..<end])... (\(bytes.count) bytes in all)"
    }

    /// The description of the error beneath in brackets, for the end of a sentence; nothing without one.
    package static func suffix(_ error: (any Error)?) -> String { error.map { " (\(text($0)))" } ?? "" }
}

extension StoreError: ErrorWithCause {}
extension CoreError.Unknown: ErrorWithCause {}
extension CoreError.Failed: ErrorWithCause {}
extension CoreError.DataSerialization: ErrorWithCause {}
