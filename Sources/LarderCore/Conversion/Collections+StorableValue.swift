extension Array: StorableValue where Element: StorableValue {
    /// A stored array with the stored forms of this array's elements, in the same order.
    public var storedValue: StoredValue { .array(map(\.storedValue)) }

    /// Converts a stored value to an array, or returns `nil` if one of its elements does not convert.
    ///
    /// A number in the array converts to another numeric type only if its value is preserved exactly.
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

    /// Returns the elements of a stored array, or `nil` if a conversion is needed.
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
    /// A stored dictionary with the stored forms of this dictionary's values.
    public var storedValue: StoredValue { .dictionary(StoredDictionary(lazy.map { ($0.key, $0.value.storedValue) })) }

    /// Converts a stored value to a dictionary, or returns `nil` if one of its values does not convert.
    ///
    /// A number in the dictionary converts to another numeric type only if its value is preserved exactly.
    ///
    /// Stored keys are compared by their bytes, but Swift compares strings by canonical equivalence. A stored dictionary with two keys that
    /// Swift considers equal, such as a composed and a decomposed "é", does not convert, because an entry would be lost.
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
