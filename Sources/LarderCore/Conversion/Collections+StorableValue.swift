extension Array: StorableValue where Element: StorableValue {
    /// An array value with the stored form of each element, in the same order.
    public var storedValue: StoredValue { .array(map(\.storedValue)) }

    /// Converts a stored value to an array, or returns `nil` if it is not an array or one of its elements can't be converted.
    ///
    /// A number in the array is converted to another numeric type only if its value is preserved exactly.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<[Element]>? {
        guard case .array(let elements) = stored else { return nil }
        var converted: [Element] = []
        converted.reserveCapacity(elements.count)
        for element in elements {
            guard let element = Element.converted(from: element, policy: policy.forElements) else { return nil }
            converted.append(element.value)
        }
        return Conversion(converted)
    }

    /// Returns the elements of a stored array, or `nil` if the value is not an array or an element requires conversion.
    @inlinable
    public static func unconverted(_ stored: StoredValue) -> [Element]? {
        guard case .array(let elements) = stored else { return nil }
        var unconverted: [Element] = []
        unconverted.reserveCapacity(elements.count)
        for element in elements {
            guard let element = Element.unconverted(element) else { return nil }
            unconverted.append(element)
        }
        return unconverted
    }
}

extension Dictionary: StorableValue where Key == String, Value: StorableValue {
    /// A dictionary value with the stored form of each value, under the same keys.
    public var storedValue: StoredValue { .dictionary(StoredDictionary(lazy.map { ($0.key, $0.value.storedValue) })) }

    /// Converts a stored value to a dictionary, or returns `nil` if it is not a dictionary or one of its values can't be converted.
    ///
    /// A number in the dictionary is converted to another numeric type only if its value is preserved exactly.
    ///
    /// Stored keys are compared bytewise, but Swift compares strings by canonical equivalence. A stored dictionary with two keys that Swift
    /// considers equal, such as a composed and a decomposed "é", can't be converted, because an entry would be lost.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<[String: Value]>? {
        guard case .dictionary(let entries) = stored else { return nil }
        var converted: [String: Value] = [:]
        converted.reserveCapacity(entries.count)
        for entry in entries {
            guard let value = Value.converted(from: entry.value, policy: policy.forElements),
                converted.updateValue(value.value, forKey: entry.key) == nil
            else { return nil }
        }
        return Conversion(converted)
    }
}
