public import LarderCore

/// A value of any type that typed keys can hold; which one, the reader says.
///
/// ```swift
/// var values: [String: DefaultsAnySerializable] = ["count": 3, "name": "Ada"]
/// values["count"]?.get(Int.self)      // 3
/// values["count"]?.get(String.self)   // nil
/// ```
///
/// Two are equal when their stored forms are.
public struct DefaultsAnySerializable: Sendable, Hashable, DefaultsSerializable {
    /// The stored form.
    public let storedValue: StoredValue

    /// A value by its stored form.
    ///
    /// - Parameter storedValue: Anything a store holds.
    public init(storedValue: StoredValue) { self.storedValue = storedValue }

    /// A value of any type that typed keys can hold.
    ///
    /// - Parameter value: The value.
    /// - Throws: Why the value has no stored form.
    public init<Value: DefaultsSerializable>(_ value: Value) throws where Value.T == Value {
        storedValue = try Value.bridge.exactCodec.encode(value)
    }

    /// Returns the value if it was stored as this type.
    ///
    /// Nothing is converted: 3 is no string and 2.7 is no `Int`. An `Int8` and an `Int64` are stored alike.
    ///
    /// - Parameter type: The type.
    /// - Returns: The value, or `nil` if it is of another type. ``value(as:)`` says why.
    public func get<Value: DefaultsSerializable>(_ type: Value.Type) -> Value.T? {
        // Documented: `nil` says that it is of another type.
        try? value(as: type)
    }

    /// Returns the value if it was stored as the type that the caller expects.
    ///
    /// - Returns: The value, or `nil` if it is of another type.
    public func get<Value: DefaultsSerializable>() -> Value? where Value.T == Value { get(Value.self) }

    /// Returns the value if it was stored as this type.
    ///
    /// - Parameter type: The type.
    /// - Returns: The value.
    /// - Throws: `CoreError.NotFound` if the value is of another type, and any other error if it does not decode.
    public func value<Value: DefaultsSerializable>(as type: Value.Type) throws -> Value.T {
        let codec = Value.bridge.exactCodec
        let decoded = try codec.decode(storedValue)
        guard !decoded.isLossy, try codec.encode(decoded.value).kind == storedValue.kind else {
            throw codec.notConvertible(storedValue)
        }
        return decoded.value
    }

    /// The stored form itself.
    public static var _defaults: DefaultsBridge<DefaultsAnySerializable> { DefaultsCodecBridge(AnySerializableCodec()) }
}

private struct AnySerializableCodec: DefaultsCodec {
    func encode(_ value: DefaultsAnySerializable) -> StoredValue { value.storedValue }

    func decode(_ stored: StoredValue) -> Conversion<DefaultsAnySerializable> {
        Conversion(DefaultsAnySerializable(storedValue: stored))
    }
}

extension DefaultsAnySerializable: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A whole number.
    public init(integerLiteral value: Int) { self.init(storedValue: value.storedValue) }
    /// A number.
    public init(floatLiteral value: Double) { self.init(storedValue: .double(value)) }
    /// A Boolean.
    public init(booleanLiteral value: Bool) { self.init(storedValue: .bool(value)) }
    /// A string.
    public init(stringLiteral value: String) { self.init(storedValue: .string(value)) }
    /// An array.
    public init(arrayLiteral elements: DefaultsAnySerializable...) {
        self.init(storedValue: .array(elements.map(\.storedValue)))
    }
    /// A dictionary; of two entries with one key the later one counts.
    public init(dictionaryLiteral elements: (String, DefaultsAnySerializable)...) {
        self.init(storedValue: .dictionary(StoredDictionary(elements.map { ($0.0, $0.1.storedValue) })))
    }
}
