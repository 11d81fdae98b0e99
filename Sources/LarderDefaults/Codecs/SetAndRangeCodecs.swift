import LarderCore

/// A codec that encodes a set as an array of its encoded elements, in a stable order.
struct SetCodec<Element: Hashable>: DefaultsCodec {
    let element: any DefaultsCodec<Element>

    func encode(_ value: Set<Element>) throws -> StoredValue {
        let elements = try value.map { try element.encode($0) }
        return .array(elements.map { ("\($0)", $0) }.sorted { $0.0 < $1.0 }.map(\.1))
    }

    func decode(_ stored: StoredValue) throws -> Conversion<Set<Element>> {
        let elements = try ArrayCodec(element: element).decode(stored)
        return Conversion(Set(elements.value), isLossy: elements.isLossy)
    }
}

/// A codec that encodes a range as an array of its two bounds.
struct BoundsCodec<Bound: Comparable, Value>: DefaultsCodec {
    let bound: any DefaultsCodec<Bound>
    let bounds: (Value) -> (Bound, Bound)
    let value: (Bound, Bound) -> Value

    func encode(_ value: Value) throws -> StoredValue {
        let (lower, upper) = bounds(value)
        return .array([try bound.encode(lower), try bound.encode(upper)])
    }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        let both = try ArrayCodec(element: bound).decode(stored)
        // Creating a range with an upper bound below the lower bound would end the process.
        guard both.value.count == 2, both.value[0] <= both.value[1] else {
            throw CoreError.DataSerialization(
                "The range can't be decoded because \(stored) is not an array of a lower and an upper bound. Read it as an array, or write a new range."
            )
        }
        return Conversion(value(both.value[0], both.value[1]), isLossy: both.isLossy)
    }
}

/// A codec that encodes arrays like ``ArrayCodec``, but skips elements that can't be decoded.
struct LossyArrayCodec<Element>: DefaultsCodec {
    let element: any DefaultsCodec<Element>

    func encode(_ value: [Element]) throws -> StoredValue { try ArrayCodec(element: element).encode(value) }

    func decode(_ stored: StoredValue) throws -> Conversion<[Element]> {
        guard case .array(let elements) = stored else {
            if let value = ForeignForm.collection([Element].self, stored) { return Conversion(value) }
            throw notConvertible(stored)
        }
        // Skipped elements set `isLossy`, which the caller reports.
        let decoded = elements.compactMap { try? element.decode($0) }
        return Conversion(
            decoded.map(\.value),
            isLossy: decoded.count < elements.count || decoded.contains(where: \.isLossy)
        )
    }
}
