public import Foundation
import LarderCore

/// A codec that encodes a value as a string without losing precision.
struct TextCodec<Value>: DefaultsCodec {
    let text: (Value) -> String
    let value: (String) -> Value?

    func encode(_ value: Value) -> StoredValue { .string(text(value)) }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        guard case .string(let text) = stored else { throw notConvertible(stored) }
        guard let value = value(text) else {
            throw CoreError.DataSerialization(
                "The string \(text.debugDescription) is not a valid \(Value.self). Read it as a String, or write a new value."
            )
        }
        return Conversion(value)
    }
}

extension CGFloat: DefaultsSerializable {
    /// A bridge that stores the number as a `Double`.
    public static var _defaults: DefaultsBridge<CGFloat> { DefaultsCodecBridge(CGFloatCodec()) }
}

private struct CGFloatCodec: DefaultsCodec {
    func encode(_ value: CGFloat) -> StoredValue { .double(value.isNaN ? .nan : Double(value)) }

    func decode(_ stored: StoredValue) throws -> Conversion<CGFloat> {
        let number = try ValueCodec<Double>().decode(stored)
        return Conversion(CGFloat(number.value), isLossy: number.isLossy)
    }
}

extension UUID: DefaultsSerializable {
    /// A bridge that stores a UUID as an uppercase string.
    public static var _defaults: DefaultsBridge<UUID> {
        DefaultsCodecBridge(TextCodec(text: \.uuidString, value: UUID.init(uuidString:)))
    }
    /// A bridge that stores an array of UUIDs as an array of uppercase strings.
    public static var _defaultsArray: DefaultsBridge<[UUID]> { bridge.makeArrayBridge() }
}

extension Decimal: DefaultsSerializable {
    /// A bridge that stores a decimal as a string, without losing precision.
    public static var _defaults: DefaultsBridge<Decimal> { DefaultsCodecBridge(DecimalCodec()) }
    /// A bridge that stores an array of decimals as an array of strings, without losing precision.
    public static var _defaultsArray: DefaultsBridge<[Decimal]> { bridge.makeArrayBridge() }
}

private struct DecimalCodec: DefaultsCodec {
    private let texts = TextCodec<Decimal>(text: \.description, value: Self.decimal)

    func encode(_ value: Decimal) -> StoredValue { texts.encode(value) }

    func decode(_ stored: StoredValue) throws -> Conversion<Decimal> {
        switch stored {
        case .int(let number): Conversion(Decimal(number))
        case .unsigned(let number): Conversion(Decimal(number))
        default: try texts.decode(stored)
        }
    }

    private static func decimal(_ text: String) -> Decimal? {
        // Checked because Foundation reads a number at the start of a string and ignores the rest.
        let characters = text.utf8.allSatisfy {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || "+-.eE".utf8.contains($0)
        }
        guard characters || text == "NaN", let value = Decimal(string: text) else { return nil }
        return value
    }
}
