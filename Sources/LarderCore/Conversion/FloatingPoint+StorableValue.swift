extension Double: StorableValue {
    /// The number with all its bits; every NaN is stored as the one canonical NaN.
    public var storedValue: StoredValue { .double(self) }

    /// Reads a double; other numbers, truth values and numeric text as the policy allows.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<Double>? {
        if case .double(let number) = stored { return Conversion(number) }
        return converted(fromOther: stored, policy: policy)
    }

    /// The number, when a double is stored.
    @inlinable
    public static func unconverted(_ stored: StoredValue) -> Double? {
        if case .double(let number) = stored { return number }
        return nil
    }
}

extension Float: StorableValue {
    /// The number with all its bits; every NaN is stored as the one canonical NaN.
    public var storedValue: StoredValue { .float(self) }

    /// Reads a float; other numbers, truth values and numeric text as the policy allows.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<Float>? {
        if case .float(let number) = stored { return Conversion(number) }
        return converted(fromOther: stored, policy: policy)
    }

    /// The number, when a float is stored.
    @inlinable
    public static func unconverted(_ stored: StoredValue) -> Float? {
        if case .float(let number) = stored { return number }
        return nil
    }
}

extension BinaryFloatingPoint where Self: LosslessStringConvertible {
    /// Reads what is stored as anything but this type itself.
    fileprivate static func converted(fromOther stored: StoredValue, policy: ConversionPolicy) -> Conversion<Self>? {
        switch policy.rule {
        case .strict: nil
        case .exactNumbers: nearest(to: stored).flatMap { $0.isLossy ? nil : $0 }
        case .documented: nearest(to: stored) ?? truth(stored) ?? spelled(by: stored)
        case .foundation:
            nearest(to: stored) ?? truth(stored) ?? beginning(of: stored) ?? Conversion(0, isLossy: true)
        }
    }

    private static func nearest(to stored: StoredValue) -> Conversion<Self>? {
        switch stored {
        case .int(let number): Conversion(Self(number), isLossy: Self(exactly: number) == nil)
        case .unsigned(let number): Conversion(Self(number), isLossy: Self(exactly: number) == nil)
        case .float(let number): nearest(to: Double(number))
        case .double(let number): nearest(to: number)
        default: nil
        }
    }

    /// NaN and the infinities are kept; a finite number that only infinity comes near is not converted.
    private static func nearest(to number: Double) -> Conversion<Self>? {
        let nearest = Self(number)
        if nearest.isInfinite, number.isFinite { return nil }
        return Conversion(nearest, isLossy: !number.isNaN && Self(exactly: number) == nil)
    }

    private static func truth(_ stored: StoredValue) -> Conversion<Self>? {
        guard case .bool(let truth) = stored else { return nil }
        return Conversion(truth ? 1 : 0)
    }

    private static func spelled(by stored: StoredValue) -> Conversion<Self>? {
        guard case .string(let text) = stored else { return nil }
        if let number = Double(named: DecimalText.trimmed(text)) { return Conversion(Self(number)) }
        guard let number = DecimalText(text)?.nearest(to: Self.self), number.isFinite else { return nil }
        return Conversion(number)
    }

    /// What Foundation makes of a text: the longest number it begins with, infinite when it is too large.
    private static func beginning(of stored: StoredValue) -> Conversion<Self>? {
        if let whole = spelled(by: stored) { return whole }
        guard case .string(let text) = stored else { return nil }
        return DecimalText(beginning: text)?.nearest(to: Self.self).map { Conversion($0, isLossy: true) }
    }
}
