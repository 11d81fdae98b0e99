public import LarderCore

/// A type-erased value that a typed key can hold.
///
/// The caller chooses the type of the value when reading it.
///
/// ```swift
/// var values: [String: DefaultsAnySerializable] = ["count": 3, "name": "Ada"]
/// values["count"]?.get(Int.self)      // 3
/// values["count"]?.get(String.self)   // nil
/// ```
///
/// Two values are equal if their stored forms are equal.
public struct DefaultsAnySerializable: Sendable, Hashable, DefaultsSerializable {
    /// The value as it is written to the store.
    public let storedValue: StoredValue

    /// Creates a value from its stored form.
    ///
    /// - Parameter storedValue: Any stored value.
    public init(storedValue: StoredValue) { self.storedValue = storedValue }

    /// Wraps a value of any type that a typed key can hold.
    ///
    /// - Parameter value: The value to encode.
    /// - Throws: An error if the value can't be encoded.
    public init<Value: DefaultsSerializable>(_ value: Value) throws where Value.T == Value {
        storedValue = try Value.bridge.exactCodec.encode(value)
    }

    /// Returns the value if it was stored as the given type.
    ///
    /// The value is not converted to another type, so 3 can't be read as a string, and 2.7 can't be read as an `Int`. All integer types
    /// have the same stored form. If you need the reason for a failure, call ``value(as:)``.
    ///
    /// - Parameter type: The type of the result.
    /// - Returns: The value, or `nil` if the stored value has another type.
    public func get<Value: DefaultsSerializable>(_ type: Value.Type) -> Value.T? {
        // The result `nil` means that the value has another type.
        try? value(as: type)
    }

    /// Returns the value if it was stored as the inferred result type.
    ///
    /// - Returns: The value, or `nil` if the stored value has another type.
    public func get<Value: DefaultsSerializable>() -> Value? where Value.T == Value { get(Value.self) }

    /// Returns the value as the given type, or throws an error that explains why the value can't be read as that type.
    ///
    /// - Parameter type: The type of the result.
    /// - Returns: The decoded value.
    /// - Throws: `CoreError.NotFound` if the value has another type, or another error if decoding fails.
    public func value<Value: DefaultsSerializable>(as type: Value.Type) throws -> Value.T {
        let codec = Value.bridge.exactCodec
        let decoded = try codec.decode(storedValue)
        guard !decoded.isLossy, try codec.encode(decoded.value).kind == storedValue.kind else {
            throw codec.notConvertible(storedValue)
        }
        return decoded.value
    }

    /// A bridge that stores ``storedValue`` without encoding it.
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
    /// Creates a value that holds an integer.
    public init(integerLiteral value: Int) { self.init(storedValue: value.storedValue) }
    /// Creates a value that holds a floating-point number.
    public init(floatLiteral value: Double) { self.init(storedValue: .double(value)) }
    /// Creates a value that holds a Boolean.
    public init(booleanLiteral value: Bool) { self.init(storedValue: .bool(value)) }
    /// Creates a value that holds a string.
    public init(stringLiteral value: String) { self.init(storedValue: .string(value)) }
    /// Creates a value that holds an array.
    public init(arrayLiteral elements: DefaultsAnySerializable...) {
        self.init(storedValue: .array(elements.map(\.storedValue)))
    }
    /// Creates a value that holds a dictionary.
    ///
    /// If a key occurs twice, the later entry is used.
    public init(dictionaryLiteral elements: (String, DefaultsAnySerializable)...) {
        self.init(storedValue: .dictionary(StoredDictionary(elements.map { ($0.0, $0.1.storedValue) })))
    }
}
