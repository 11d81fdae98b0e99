public import Foundation

/// A key of a dictionary that typed keys can hold: a type with a text that stays the same for ever.
///
/// Texts, integers, `UUID`, and enums with a raw value of these are; an enum opts in with an empty conformance.
public protocol DefaultsDictionaryKey: Hashable {
    /// The text under which the entry is stored; different keys have different texts.
    var defaultsKeyText: String { get }

    /// The key that has this text.
    ///
    /// - Parameter defaultsKeyText: A stored text; `nil` is returned when it is no key's, and then the dictionary does not decode.
    init?(defaultsKeyText: String)
}

extension String: DefaultsDictionaryKey {
    /// The text itself.
    public var defaultsKeyText: String { self }
    /// The text itself.
    public init?(defaultsKeyText: String) { self = defaultsKeyText }
}

extension DefaultsDictionaryKey where Self: FixedWidthInteger {
    /// The decimal digits.
    public var defaultsKeyText: String { String(self) }
    /// A number by its decimal digits, in the one way that ``defaultsKeyText`` writes them.
    public init?(defaultsKeyText: String) {
        guard let value = Self(defaultsKeyText), String(value) == defaultsKeyText else { return nil }
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
    /// The text, in capital letters.
    public var defaultsKeyText: String { uuidString }
    /// An identifier by its text.
    public init?(defaultsKeyText: String) { self.init(uuidString: defaultsKeyText) }
}

extension DefaultsDictionaryKey where Self: RawRepresentable, RawValue: DefaultsDictionaryKey {
    /// The text of the raw value.
    public var defaultsKeyText: String { rawValue.defaultsKeyText }
    /// A value by the text of its raw value.
    public init?(defaultsKeyText: String) {
        guard let raw = RawValue(defaultsKeyText: defaultsKeyText) else { return nil }
        self.init(rawValue: raw)
    }
}
