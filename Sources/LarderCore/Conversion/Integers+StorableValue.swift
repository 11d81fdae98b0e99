// All integer types are stored as the same kind of value, so a stored integer can be read as any integer type that can represent it.
extension StorableValue where Self: FixedWidthInteger {
    /// A stored value that represents this number exactly.
    ///
    /// All conforming types have at most 64 bits. A wider integer would be stored as a string of its decimal digits.
    public var storedValue: StoredValue { .integer(self) ?? .string(String(self)) }

    /// Converts a stored value to this integer type.
    ///
    /// A stored integer in the range of this type always converts. If the policy allows, floating-point numbers, Booleans and numeric
    /// strings are also converted.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<Self>? {
        switch policy.rule {
        case .strict: same(as: stored)
        case .exactNumbers: same(as: stored) ?? exactly(stored)
        case .documented: same(as: stored) ?? truncated(stored) ?? DecimalText.whole(stored)?.truncated(to: Self.self)
        case .foundation:
            same(as: stored) ?? truncated(stored) ?? beginning(of: stored) ?? Conversion(0, isLossy: true)
        }
    }

    /// Returns the number, or `nil` if the stored value is not an integer in the range of this type.
    @inlinable
    public static func unconverted(_ stored: StoredValue) -> Self? {
        if case .int(let number) = stored { return Self(exactly: number) }
        return nil
    }

    private static func same(as stored: StoredValue) -> Conversion<Self>? {
        switch stored {
        case .int(let number): Self(exactly: number).map { Conversion($0) }
        case .unsigned(let number): Self(exactly: number).map { Conversion($0) }
        default: nil
        }
    }

    private static func exactly(_ stored: StoredValue) -> Conversion<Self>? {
        switch stored {
        case .float(let number): Self(exactly: number).map { Conversion($0) }
        case .double(let number): Self(exactly: number).map { Conversion($0) }
        default: nil
        }
    }

    private static func truncated(_ stored: StoredValue) -> Conversion<Self>? {
        switch stored {
        case .bool(let truth): Conversion(truth ? 1 : 0)
        case .float(let number): truncated(Double(number))
        case .double(let number): truncated(number)
        default: nil
        }
    }

    private static func truncated(_ number: Double) -> Conversion<Self>? {
        let whole = number.rounded(.towardZero)
        return Self(exactly: whole).map { Conversion($0, isLossy: whole != number) }
    }

    /// Parses the integer at the beginning of a string, as Foundation does, and clamps the integer to this type's range.
    private static func beginning(of stored: StoredValue) -> Conversion<Self>? {
        guard case .string(let text) = stored, let number = DecimalText(beginning: text) else { return nil }
        let value = number.saturated(to: Self.self)
        let whole = DecimalText(text)?.truncated(to: Self.self)
        return Conversion(value, isLossy: whole?.isLossy != false || whole?.value != value)
    }
}

extension DecimalText {
    /// Parses a stored string that consists of one number, or returns `nil` for any other value.
    static func whole(_ stored: StoredValue) -> DecimalText? {
        guard case .string(let text) = stored else { return nil }
        return DecimalText(text)
    }
}

extension Int: StorableValue {
    /// A stored value that represents this number exactly.
    ///
    /// `Int` is the most common type, so it has its own, faster implementation.
    @inlinable public var storedValue: StoredValue { .int(Int64(self)) }
}
extension Int8: StorableValue {}
extension Int16: StorableValue {}
extension Int32: StorableValue {}
extension Int64: StorableValue {}
extension UInt: StorableValue {}
extension UInt8: StorableValue {}
extension UInt16: StorableValue {}
extension UInt32: StorableValue {}
extension UInt64: StorableValue {}
