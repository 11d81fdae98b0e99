public import Foundation
import LarderCore

/// Writes bytes as base64 text.
public struct DataToBase64StringMapper: Mapper {
    /// The mapper.
    public init() {}
    /// One line, padded.
    public func map(_ from: Data) -> String { from.base64EncodedString() }
}

/// Reads bytes from base64 text.
public struct Base64StringToDataMapper: Mapper {
    /// The mapper.
    public init() {}

    /// The bytes.
    ///
    /// - Parameter from: The text.
    /// - Returns: The bytes.
    /// - Throws: `CoreError.DataSerialization` when the text is no base64.
    public func map(_ from: String) throws -> Data {
        guard let data = Data(base64Encoded: from) else {
            throw CoreError.DataSerialization("A text of \(from.utf8.count) bytes is not base64.")
        }
        return data
    }
}

/// Writes bytes as hexadecimal text.
public struct DataToHexStringMapper: Mapper {
    /// The mapper.
    public init() {}
    /// Two lower-case digits for each byte.
    public func map(_ from: Data) -> String { hexadecimal(from) }
}

/// Reads bytes from hexadecimal text.
public struct HexStringToDataMapper: Mapper {
    /// The mapper.
    public init() {}

    /// The bytes.
    ///
    /// - Parameter from: Two digits for each byte, of either case.
    /// - Returns: The bytes.
    /// - Throws: `CoreError.DataSerialization` when the text is anything else.
    public func map(_ from: String) throws -> Data {
        let digits = from.utf8.map(Self.digit)
        var data = Data(capacity: digits.count / 2)
        for index in stride(from: 0, to: digits.count - 1, by: 2) {
            if let high = digits[index], let low = digits[index + 1] { data.append(high << 4 | low) }
        }
        guard data.count * 2 == digits.count else {
            throw CoreError.DataSerialization("A text of \(digits.count) bytes is not hexadecimal.")
        }
        return data
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Two lower-case digits for each byte.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
