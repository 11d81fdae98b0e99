/// What becomes of a key's values on their way into the store, and of stored ones on their way out.
///
/// Stored values are checked too because others can write them. Defaults are not.
public struct DefaultsValidation<Value>: Sendable {
    /// A refused value and why.
    struct Refusal: Error {
        let reason: String
    }

    let apply: @Sendable (Value) throws -> Value

    /// Every value is replaced by what `transform` makes of it.
    ///
    /// - Parameter transform: Called on the writing or reading thread; must give the same for its own results.
    /// - Returns: The validation.
    public static func transform(_ transform: @escaping @Sendable (Value) -> Value) -> DefaultsValidation {
        DefaultsValidation { transform($0) }
    }

    /// Values for which `isInvalid` says so are refused: not written, and when stored, read as the default.
    ///
    /// - Parameters:
    ///   - reason: Said in the issue or error, after the name of the key.
    ///   - isInvalid: Called on the writing or reading thread.
    /// - Returns: The validation.
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
    /// Values outside a range are replaced by its nearest bound.
    ///
    /// What compares with nothing, such as NaN, is replaced by the lower bound.
    ///
    /// - Parameter range: The range.
    /// - Returns: The validation.
    public static func clamp(to range: ClosedRange<Value>) -> DefaultsValidation {
        DefaultsValidation { value in
            if range.contains(value) { return value }
            return value > range.upperBound ? range.upperBound : range.lowerBound
        }
    }
}
