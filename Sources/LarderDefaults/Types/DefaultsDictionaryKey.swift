public import Foundation

/// A dictionary key with a permanent string form, under which the dictionary's entry is stored.
///
/// Strings, integers and `UUID` conform. For an enum whose raw value has one of these types, declare an empty conformance.
public protocol DefaultsDictionaryKey: Hashable {
    /// The string under which the dictionary's entry is stored.
    ///
    /// Different keys must have different strings.
    var defaultsKeyString: String { get }

    /// Creates the key for a stored string, or returns `nil` if the string is invalid.
    ///
    /// If the result is `nil`, the dictionary can't be decoded.
    ///
    /// - Parameter defaultsKeyString: The stored string.
    init?(defaultsKeyString: String)
}

extension String: DefaultsDictionaryKey {
    /// The string itself.
    public var defaultsKeyString: String { self }
    /// Creates a key from its stored string.
    public init?(defaultsKeyString: String) { self = defaultsKeyString }
}

extension DefaultsDictionaryKey where Self: FixedWidthInteger {
    /// The number's decimal digits.
    public var defaultsKeyString: String { String(self) }
    /// Creates a number from the decimal digits that ``defaultsKeyString`` returns.
    public init?(defaultsKeyString: String) {
        guard let value = Self(defaultsKeyString), String(value) == defaultsKeyString else { return nil }
        self = value
    }
}

extension Int: DefaultsDictionaryKey {}
extension Int8: DefaultsDictionaryKey {}
extension Int16: DefaultsDictionaryKey {}
extension Int32: DefaultsDictionaryKey {}
extension Int64: DefaultsDictionaryKey {}
extension UInt: DefaultsDictionaryKey {}
extension UInt8: DefaultsDictionaryKey {}
extension UInt16: DefaultsDictionaryKey {}
extension UInt32: DefaultsDictionaryKey {}
extension UInt64: DefaultsDictionaryKey {}

extension UUID: DefaultsDictionaryKey {
    /// The UUID string in uppercase.
    public var defaultsKeyString: String { uuidString }
    /// Creates a UUID from its string form.
    public init?(defaultsKeyString: String) { self.init(uuidString: defaultsKeyString) }
}

extension DefaultsDictionaryKey where Self: RawRepresentable, RawValue: DefaultsDictionaryKey {
    /// The string form of the raw value.
    public var defaultsKeyString: String { rawValue.defaultsKeyString }
    /// Creates a value from the string form of its raw value.
    public init?(defaultsKeyString: String) {
        guard let raw = RawValue(defaultsKeyString: defaultsKeyString) else { return nil }
        self.init(rawValue: raw)
    }
}
