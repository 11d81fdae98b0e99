// Every integer width is stored as the number; which width wrote it is not kept, so any width reads what fits it.
extension StorableValue where Self: FixedWidthInteger {
    /// The number.
    ///
    /// One beyond 64 bits, which none of the types below has, would be stored as its decimal digits.
    public var storedValue: StoredValue { .integer(self) ?? .string(String(self)) }

    /// Reads an integer that fits; numbers with a fraction, truth values and numeric text as the policy allows.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<Self>? {
        switch policy.rule {
        case .strict: same(as: stored)
        case .exactNumbers: same(as: stored) ?? exactly(stored)
        case .documented: same(as: stored) ?? truncated(stored) ?? DecimalText.whole(stored)?.truncated(to: Self.self)
        case .foundation:
            same(as: stored) ?? truncated(stored) ?? beginning(of: stored) ?? Conversion(0, isLossy: true)
        }
    }

    /// The number, when an integer that fits is stored.
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

    /// What Foundation makes of a text: the digits it begins with, as far as the type goes.
    private static func beginning(of stored: StoredValue) -> Conversion<Self>? {
        guard case .string(let text) = stored, let number = DecimalText(beginning: text) else { return nil }
        let value = number.saturated(to: Self.self)
        let whole = DecimalText(text)?.truncated(to: Self.self)
        return Conversion(value, isLossy: whole?.isLossy != false || whole?.value != value)
    }
}

extension DecimalText {
    /// The number that a stored text spells, or `nil` for any other value.
    static func whole(_ stored: StoredValue) -> DecimalText? {
        guard case .string(let text) = stored else { return nil }
        return DecimalText(text)
    }
}

extension Int: StorableValue {
    /// The number; as fast as it can be, since it is the integer that most write.
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
