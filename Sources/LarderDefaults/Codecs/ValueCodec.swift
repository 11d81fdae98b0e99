import Foundation
import LarderCore

/// A codec that stores values directly, without encoding.
///
/// Stored values of other types are converted with `ConversionPolicy.documented`.
struct ValueCodec<Value: StorableValue>: DefaultsCodec {
    func encode(_ value: Value) -> StoredValue { value.storedValue.canonical }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        // No URL begins with a quotation mark, and the conversion would escape it.
        if let address = Value.self as? URL.Type, let value = ForeignForm.value(address, quoted: stored) as? Value {
            return Conversion(value)
        }
        guard let conversion = Value.converted(from: stored, policy: .documented) else { throw notConvertible(stored) }
        return conversion
    }
}

/// A codec that encodes a raw-representable value, such as an enum case, as its raw value.
struct RawValueCodec<Value: RawRepresentable>: DefaultsCodec where Value.RawValue: StorableValue {
    func encode(_ value: Value) -> StoredValue { value.rawValue.storedValue.canonical }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        guard
            let raw = Value.RawValue.converted(from: stored, policy: .documented),
            let value = Value(rawValue: raw.value)
        else {
            if let value = ForeignForm.value(Value.self, quoted: stored) { return Conversion(value) }
            throw notConvertible(stored)
        }
        return Conversion(value, isLossy: raw.isLossy)
    }
}
