extension Array: StorableValue where Element: StorableValue {
    /// The elements in order.
    public var storedValue: StoredValue { .array(map(\.storedValue)) }

    /// Reads an array all of whose elements convert.
    ///
    /// Inside, only numbers that are exactly equal stand for one another.
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
}

extension Dictionary: StorableValue where Key == String, Value: StorableValue {
    /// The entries.
    public var storedValue: StoredValue { .dictionary(StoredDictionary(lazy.map { ($0.key, $0.value.storedValue) })) }

    /// Reads a dictionary all of whose values convert.
    ///
    /// Inside, only numbers that are exactly equal stand for one another.
    ///
    /// Stored keys are distinct by their bytes, the keys of a Swift dictionary by canonical equivalence. A stored dictionary
    /// with two keys that Swift takes for one (a composed and a decomposed "é") does not convert, rather than losing one.
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
