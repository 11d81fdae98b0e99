/// A policy that determines which type conversions are allowed when a value is read.
///
/// `Documentation/Conversions.md` lists the conversions that each policy allows.
public struct ConversionPolicy: Sendable, Hashable {
    package enum Rule: Sendable, Hashable { case strict, documented, foundation, exactNumbers }
    package let rule: Rule

    /// A policy that allows no conversion.
    public static let strict = ConversionPolicy(rule: .strict)
    /// A policy that allows the documented conversions and rejects ambiguous ones.
    ///
    /// This is the default policy.
    public static let documented = ConversionPolicy(rule: .documented)
    /// A policy that converts like Foundation's `integer(forKey:)` and related methods.
    ///
    /// Those methods use the number at the beginning of a string, and return 0 or `false` if nothing converts.
    public static let foundation = ConversionPolicy(rule: .foundation)

    /// The policy for values inside arrays and dictionaries, which allows at most exact numeric conversions.
    package var forElements: ConversionPolicy {
        rule == .strict ? self : ConversionPolicy(rule: .exactNumbers)
    }
}

/// The result of converting a stored value to another type.
public struct Conversion<Value> {
    /// The converted value.
    public let value: Value
    /// Whether the conversion lost information, such as the fraction of 2.7 read as an integer.
    public let isLossy: Bool

    /// Creates the result of a conversion.
    ///
    /// - Parameters:
    ///   - value: The converted value.
    ///   - isLossy: Whether the conversion lost information.
    public init(_ value: Value, isLossy: Bool = false) {
        self.value = value
        self.isLossy = isLossy
    }
}

extension Conversion: Sendable where Value: Sendable {}

/// A type whose values a store can hold directly.
///
/// All integers, `Float`, `Double`, `Bool`, `String`, `URL`, `Date` and `Data` conform, as do arrays and string-keyed dictionaries of these
/// types, nested to any depth. To store a value of another type, map the value to one of these types with `DataSourceMapper` or
/// `DefaultsSerializable`.
public protocol StorableValue: Sendable {
    /// The stored form of this value.
    var storedValue: StoredValue { get }

    /// Converts a stored value to this type.
    ///
    /// - Parameters:
    ///   - stored: A stored value of any kind.
    ///   - policy: The policy that determines which conversions are allowed.
    /// - Returns: The result of the conversion, or `nil` if the value does not convert.
    static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<Self>?

    /// Returns the value if it is stored as exactly this type, or `nil` if a conversion is needed.
    ///
    /// Reads call this method first, because it is faster than ``converted(from:policy:)``. The default implementation returns `nil`.
    ///
    /// - Parameter stored: A stored value of any kind.
    /// - Returns: The value, which must equal the result of ``converted(from:policy:)`` under every policy, or `nil`.
    static func unconverted(_ stored: StoredValue) -> Self?
}

extension StorableValue {
    /// Returns `nil`, so that every value is read with ``converted(from:policy:)``.
    ///
    /// - Parameter stored: A stored value of any kind.
    /// - Returns: Always `nil`.
    @inlinable
    public static func unconverted(_ stored: StoredValue) -> Self? { nil }
}
