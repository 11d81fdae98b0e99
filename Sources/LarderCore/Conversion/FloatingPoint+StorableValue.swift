extension Double: StorableValue {
    /// A stored value that represents this number exactly.
    ///
    /// Every NaN becomes the canonical NaN.
    public var storedValue: StoredValue { .double(self) }

    /// Converts a stored value to a double, or returns `nil` if the value can't be converted under `policy`.
    ///
    /// If the policy allows, other numbers, Booleans and numeric strings are also converted.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<Double>? {
        if case .double(let number) = stored { return Conversion(number) }
        return converted(fromOther: stored, policy: policy)
    }

    /// Returns the number, or `nil` if the stored value is not a double.
    @inlinable
    public static func unconverted(_ stored: StoredValue) -> Double? {
        if case .double(let number) = stored { return number }
        return nil
    }
}

extension Float: StorableValue {
    /// A stored value that represents this number exactly.
    ///
    /// Every NaN becomes the canonical NaN.
    public var storedValue: StoredValue { .float(self) }

    /// Converts a stored value to a float, or returns `nil` if the value can't be converted under `policy`.
    ///
    /// If the policy allows, other numbers, Booleans and numeric strings are also converted.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<Float>? {
        if case .float(let number) = stored { return Conversion(number) }
        return converted(fromOther: stored, policy: policy)
    }

    /// Returns the number, or `nil` if the stored value is not a float.
    @inlinable
    public static func unconverted(_ stored: StoredValue) -> Float? {
        if case .float(let number) = stored { return number }
        return nil
    }
}

extension BinaryFloatingPoint where Self: LosslessStringConvertible {
    /// Converts a stored value of another kind to this type, or returns `nil` if it can't be converted under `policy`.
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

    /// Returns the number of this type that is nearest to a double, or `nil` if a finite number would become infinite.
    ///
    /// NaN and infinities are preserved.
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

    /// Converts the longest number at the beginning of a string, as Foundation does, or returns infinity if the number is too large.
    private static func beginning(of stored: StoredValue) -> Conversion<Self>? {
        if let whole = spelled(by: stored) { return whole }
        guard case .string(let text) = stored else { return nil }
        return DecimalText(beginning: text)?.nearest(to: Self.self).map { Conversion($0, isLossy: true) }
    }
}
