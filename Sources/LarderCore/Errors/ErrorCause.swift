/// An error that may have another beneath it.
package protocol ErrorWithCause: Error {
    /// The error beneath, if there was one.
    var underlying: (any Error)? { get }
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
    ///   the chain is always kept.
    package static func bounded(_ error: (any Error)?) -> (any Error)? {
        guard let error else { return nil }
        var chain: [any Error] = [error]
        while let next = (chain[chain.count - 1] as? any ErrorWithCause)?.underlying { chain.append(next) }
        return chain.count <= maximumDepth ? error : chain[chain.count - maximumDepth]
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
