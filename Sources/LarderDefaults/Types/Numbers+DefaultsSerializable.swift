public import Foundation
import LarderCore

/// A value as the text that it is exactly.
struct TextCodec<Value>: DefaultsCodec {
    let text: (Value) -> String
    let value: (String) -> Value?

    func encode(_ value: Value) -> StoredValue { .string(text(value)) }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        guard case .string(let text) = stored else { throw notConvertible(stored) }
        guard let value = value(text) else {
            throw CoreError.DataSerialization("\(text.debugDescription) is no \(Value.self).")
        }
        return Conversion(value)
    }
}

extension CGFloat: DefaultsSerializable {
    /// The number as a `Double`.
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
    /// The text, in capital letters.
    public static var _defaults: DefaultsBridge<UUID> {
        DefaultsCodecBridge(TextCodec(text: \.uuidString, value: UUID.init(uuidString:)))
    }
    /// An array of texts.
    public static var _defaultsArray: DefaultsBridge<[UUID]> { bridge.makeArrayBridge() }
}

extension Decimal: DefaultsSerializable {
    /// The decimal digits, so that nothing is lost.
    public static var _defaults: DefaultsBridge<Decimal> { DefaultsCodecBridge(DecimalCodec()) }
    /// An array of texts.
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
        // Foundation reads the number that a text begins with, and takes the rest for nothing.
        let characters = text.utf8.allSatisfy {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || "+-.eE".utf8.contains($0)
        }
        guard characters || text == "NaN", let value = Decimal(string: text) else { return nil }
        return value
    }
}
