import LarderCore

/// A collection as an array of what its elements become.
struct CollectionCodec<Value: RangeReplaceableCollection>: DefaultsCodec {
    let element: any DefaultsCodec<Value.Element>

    func encode(_ value: Value) throws -> StoredValue { .array(try value.map { try element.encode($0) }) }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        guard case .array(let elements) = stored else {
            if let value = ForeignForm.collection(Value.self, stored) { return Conversion(value) }
            throw notConvertible(stored)
        }
        let decoded = try elements.map { try element.decode($0) }
        return Conversion(Value(decoded.lazy.map(\.value)), isLossy: decoded.contains(where: \.isLossy))
    }
}

typealias ArrayCodec<Element> = CollectionCodec<[Element]>

/// A dictionary as one of what its values become, under the texts of its keys.
struct DictionaryCodec<Key: DefaultsDictionaryKey, Element>: DefaultsCodec {
    let element: any DefaultsCodec<Element>

    func encode(_ value: [Key: Element]) throws -> StoredValue {
        .dictionary(StoredDictionary(try value.map { ($0.key.defaultsKeyText, try element.encode($0.value)) }))
    }

    func decode(_ stored: StoredValue) throws -> Conversion<[Key: Element]> {
        guard case .dictionary(let entries) = stored else {
            if let value = ForeignForm.collection([Key: Element].self, stored) { return Conversion(value) }
            throw notConvertible(stored)
        }
        var isLossy = false
        var value: [Key: Element] = [:]
        for entry in entries {
            guard let key = Key(defaultsKeyText: entry.key) else {
                throw CoreError.DataSerialization("\(entry.key.debugDescription) is no \(Key.self).")
            }
            let decoded = try element.decode(entry.value)
            isLossy = isLossy || decoded.isLossy
            // Two keys that differ in bytes alone, such as a composed and a decomposed é, are one to a Swift dictionary.
            isLossy = value.updateValue(decoded.value, forKey: key) != nil || isLossy
        }
        return Conversion(value, isLossy: isLossy)
    }
}

/// A null for `nil`.
struct OptionalCodec<Wrapped>: DefaultsCodec {
    let wrapped: any DefaultsCodec<Wrapped>

    func encode(_ value: Wrapped?) throws -> StoredValue { try value.map { try wrapped.encode($0) } ?? .null }

    func decode(_ stored: StoredValue) throws -> Conversion<Wrapped?> {
        if case .null = stored { return Conversion(nil) }
        let decoded = try wrapped.decode(stored)
        return Conversion(decoded.value, isLossy: decoded.isLossy)
    }
}
