/// A validation that checks or replaces a key's value on every read and write.
///
/// Stored values are validated on every read, because other programs may have written them. Default values are not validated.
public struct DefaultsValidation<Value>: Sendable {
    /// The error thrown for an invalid value by a validation that ``reject(_:where:)`` created.
    struct Refusal: Error {
        let reason: String
    }

    let apply: @Sendable (Value) throws -> Value

    /// Returns a validation that replaces every value with the result of `transform`.
    ///
    /// - Parameter transform: An idempotent closure that returns the replacement. It runs on the writing or reading thread.
    /// - Returns: A validation to pass to a key's initializer.
    public static func transform(_ transform: @escaping @Sendable (Value) -> Value) -> DefaultsValidation {
        DefaultsValidation { transform($0) }
    }

    /// Returns a validation that rejects invalid values.
    ///
    /// An invalid value is not written. If a stored value is invalid, reads return the default.
    ///
    /// - Parameters:
    ///   - reason: The reason, which follows the name of the key in the error or issue message.
    ///   - isInvalid: A closure that returns `true` for an invalid value. It runs on the writing or reading thread.
    /// - Returns: A validation to pass to a key's initializer.
    public static func reject(
        _ reason: String = "the value is not valid",
        where isInvalid: @escaping @Sendable (Value) -> Bool
    ) -> DefaultsValidation {
        DefaultsValidation { value in
            if isInvalid(value) { throw Refusal(reason: reason) }
            return value
        }
    }
}

extension DefaultsValidation where Value: Comparable & Sendable {
    /// Returns a validation that replaces values outside a range with the nearest bound.
    ///
    /// A value that can't be compared, such as NaN, is replaced by the lower bound.
    ///
    /// - Parameter range: The valid values.
    /// - Returns: A validation to pass to a key's initializer.
    public static func clamp(to range: ClosedRange<Value>) -> DefaultsValidation {
        DefaultsValidation { value in
            if range.contains(value) { return value }
            return value > range.upperBound ? range.upperBound : range.lowerBound
        }
    }
}
