/// What may be read as what; the table is in `Documentation/Conversions.md`.
public struct ConversionPolicy: Sendable, Hashable {
    package enum Rule: Sendable, Hashable { case strict, documented, foundation, exactNumbers }
    package let rule: Rule

    /// Only the type that was stored.
    public static let strict = ConversionPolicy(rule: .strict)
    /// The documented table, which is the default.
    ///
    /// What would be a guess is refused.
    public static let documented = ConversionPolicy(rule: .documented)
    /// As Foundation's `integer(forKey:)` and its siblings read: the number at the beginning of a text, and 0 or `false` where
    /// nothing converts.
    public static let foundation = ConversionPolicy(rule: .foundation)

    /// The policy inside arrays and dictionaries: the same type, or a number that is exactly equal.
    package var forElements: ConversionPolicy {
        rule == .strict ? self : ConversionPolicy(rule: .exactNumbers)
    }
}

/// A stored value read as another type.
public struct Conversion<Value> {
    /// The value as the type asked for.
    public let value: Value
    /// Whether something was lost on the way, such as the fraction of 2.7 read as an integer.
    public let isLossy: Bool

    /// A conversion.
    ///
    /// - Parameters:
    ///   - value: The value as the type asked for.
    ///   - isLossy: Whether something was lost.
    public init(_ value: Value, isLossy: Bool = false) {
        self.value = value
        self.isLossy = isLossy
    }
}

extension Conversion: Sendable where Value: Sendable {}

/// A type that stores hold directly: the compatible types of the documents.
///
/// All integers, `Float`, `Double`, `Bool`, `String`, `URL`, `Date`, `Data`, and arrays and text-keyed dictionaries of these to
/// any depth. To store another type, map it to one of these (`DataSourceMapper`, `DefaultsSerializable`).
public protocol StorableValue: Sendable {
    /// What is stored for this value.
    var storedValue: StoredValue { get }

    /// Reads a stored value as this type.
    ///
    /// - Parameters:
    ///   - stored: What is stored, of any kind.
    ///   - policy: What may be read as what.
    /// - Returns: The value, or `nil` when it does not convert.
    static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<Self>?

    /// The value when it was stored as this very type, so that every policy reads it unchanged: the quick way past
    /// ``converted(from:policy:)``, which is asked when this is `nil`.
    ///
    /// The default is `nil`, always.
    ///
    /// - Parameter stored: What is stored, of any kind.
    /// - Returns: What ``converted(from:policy:)`` returns for it under every policy, or `nil`.
    static func unconverted(_ stored: StoredValue) -> Self?
}

extension StorableValue {
    /// `nil`: every value goes through ``converted(from:policy:)``.
    ///
    /// - Parameter stored: What is stored, of any kind.
    /// - Returns: `nil`.
    @inlinable
    public static func unconverted(_ stored: StoredValue) -> Self? { nil }
}
