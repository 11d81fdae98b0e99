import LarderCore

/// A codec that encodes a collection as an array of its encoded elements.
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

/// A codec that encodes a dictionary as a stored dictionary with string keys and encoded values.
struct DictionaryCodec<Key: DefaultsDictionaryKey, Element>: DefaultsCodec {
    let element: any DefaultsCodec<Element>

    func encode(_ value: [Key: Element]) throws -> StoredValue {
        .dictionary(StoredDictionary(try value.map { ($0.key.defaultsKeyString, try element.encode($0.value)) }))
    }

    func decode(_ stored: StoredValue) throws -> Conversion<[Key: Element]> {
        guard case .dictionary(let entries) = stored else {
            if let value = ForeignForm.collection([Key: Element].self, stored) { return Conversion(value) }
            throw notConvertible(stored)
        }
        var isLossy = false
        var value: [Key: Element] = [:]
        for entry in entries {
            guard let key = Key(defaultsKeyString: entry.key) else {
                throw CoreError.DataSerialization(
                    "The dictionary can't be decoded because its key \(entry.key.debugDescription) is not a valid \(Key.self). Read it with String keys, or write a new dictionary."
                )
            }
            let decoded = try element.decode(entry.value)
            isLossy = isLossy || decoded.isLossy
            // Keys that differ only in their bytes, such as a composed and a decomposed é, are equal in a Swift dictionary.
            isLossy = value.updateValue(decoded.value, forKey: key) != nil || isLossy
        }
        return Conversion(value, isLossy: isLossy)
    }
}

/// A codec that encodes `nil` as null, and other values with the codec for the wrapped type.
struct OptionalCodec<Wrapped>: DefaultsCodec {
    let wrapped: any DefaultsCodec<Wrapped>

    func encode(_ value: Wrapped?) throws -> StoredValue { try value.map { try wrapped.encode($0) } ?? .null }

    func decode(_ stored: StoredValue) throws -> Conversion<Wrapped?> {
        if case .null = stored { return Conversion(nil) }
        let decoded = try wrapped.decode(stored)
        return Conversion(decoded.value, isLossy: decoded.isLossy)
    }
}
