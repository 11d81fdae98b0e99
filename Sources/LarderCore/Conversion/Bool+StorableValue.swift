extension Bool: StorableValue {
    /// A stored value that represents this Boolean.
    public var storedValue: StoredValue { .bool(self) }

    /// Converts a stored value to a Boolean.
    ///
    /// If the policy allows, numbers and strings such as "yes" and "true" are also converted.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<Bool>? {
        if case .bool(let truth) = stored { return Conversion(truth) }
        return switch policy.rule {
        case .strict, .exactNumbers: nil
        case .documented: nonzero(stored) ?? spelled(by: stored)
        case .foundation: nonzero(stored) ?? spelled(by: stored) ?? beginning(of: stored)
        }
    }

    /// Returns the Boolean, or `nil` if the stored value is not a Boolean.
    @inlinable
    public static func unconverted(_ stored: StoredValue) -> Bool? {
        if case .bool(let truth) = stored { return truth }
        return nil
    }

    private static func nonzero(_ stored: StoredValue) -> Conversion<Bool>? {
        switch stored {
        case .int(let number): Conversion(number != 0)
        case .unsigned(let number): Conversion(number != 0)
        case .float(let number): Conversion(number != 0)
        case .double(let number): Conversion(number != 0)
        default: nil
        }
    }

    private static func spelled(by stored: StoredValue) -> Conversion<Bool>? {
        guard case .string(let text) = stored else { return nil }
        switch String(decoding: DecimalText.trimmed(text), as: UTF8.self) {
        case "YES", "yes", "Y", "y", "TRUE", "true", "T", "t": return Conversion(true)
        case "NO", "no", "N", "n", "FALSE", "false", "F", "f": return Conversion(false)
        default:
            guard let number = DecimalText(text), number.isInteger else { return nil }
            return Conversion(number.hasNonzeroInteger)
        }
    }

    /// Converts a string as Foundation does.
    ///
    /// The result is `true` if the string begins with Y, y, T, t or a nonzero integer, and `false` otherwise.
    private static func beginning(of stored: StoredValue) -> Conversion<Bool> {
        guard case .string(let text) = stored else { return Conversion(false, isLossy: true) }
        let begins: Bool =
            switch DecimalText.trimmed(text).first {
            case UInt8(ascii: "Y"), UInt8(ascii: "y"), UInt8(ascii: "T"), UInt8(ascii: "t"): true
            default: DecimalText(beginning: text)?.hasNonzeroInteger ?? false
            }
        return Conversion(begins, isLossy: true)
    }
}
