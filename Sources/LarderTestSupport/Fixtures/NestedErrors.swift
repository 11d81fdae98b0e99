import LarderCore

/// A deeply nested error, as produced by a loop that wraps the same failure again and again.
package struct NestedErrors {
    /// The original cause of the nested errors.
    package struct Cause: Error {}

    /// The outermost error.
    package let error: any Error
    /// The number of errors that wrap ``innermost`` in ``error``.
    package let depth: Int
    /// The innermost error in the chain of causes of ``error``.
    package let innermost: any Error

    /// Wraps an error 20,000 times, using a `StoreError` every second time.
    ///
    /// - Parameters:
    ///   - wrap: A closure that wraps an error in an error of the type under test. The first argument is the number of earlier wraps.
    ///   - underlying: A closure that returns the error wrapped in an error of the type under test, or `nil` for errors of other types.
    package init(_ wrap: (Int, any Error) -> any Error, underlying: (any Error) -> (any Error)?) {
        var error: any Error = Cause()
        for number in 0..<20_000 {
            error =
                number % 2 == 0
                ? wrap(number, error) : StoreError(.inputOutput, "Attempt \(number) failed.", underlying: error)
        }
        self.error = error
        var (depth, next) = (0, error)
        while let cause = underlying(next) ?? (next as? StoreError)?.underlying {
            depth += 1
            next = cause
        }
        self.depth = depth
        innermost = next
    }

    /// Whether ``error`` contains fewer than 20 nested errors, keeps the original cause, and has short descriptions.
    package var areShort: Bool {
        let issue = LarderIssue(.readFailed, "The read failed.", underlying: error)
        return depth < 20 && innermost is Cause && "\(error)".utf8.count < 8_000 && issue.description.utf8.count < 8_000
    }
}
