public import Foundation
import LarderCore

/// A mapper that encodes bytes as a base64 string.
public struct DataToBase64StringMapper: Mapper {
    /// Creates a mapper that encodes bytes as base64 strings.
    public init() {}
    /// Returns the bytes as padded base64 on one line.
    public func map(_ from: Data) -> String { from.base64EncodedString() }
}

/// A mapper that decodes bytes from a base64 string.
public struct Base64StringToDataMapper: Mapper {
    /// Creates a mapper that decodes base64 strings.
    public init() {}

    /// Decodes a base64 string.
    ///
    /// - Parameter from: The base64 string to decode.
    /// - Returns: The decoded bytes.
    /// - Throws: `CoreError.DataSerialization` if the string is not base64.
    public func map(_ from: String) throws -> Data {
        guard let data = Data(base64Encoded: from) else {
            throw CoreError.DataSerialization(
                "A string of length \(from.utf8.count) can't be decoded because it is not base64. Pass a string that `DataToBase64StringMapper` encoded."
            )
        }
        return data
    }
}

/// A mapper that encodes bytes as a hexadecimal string.
public struct DataToHexStringMapper: Mapper {
    /// Creates a mapper that encodes bytes as hexadecimal strings.
    public init() {}
    /// Returns the bytes as lowercase hexadecimal digits, two for each byte.
    public func map(_ from: Data) -> String { hexadecimal(from) }
}

/// A mapper that decodes bytes from a hexadecimal string.
public struct HexStringToDataMapper: Mapper {
    /// Creates a mapper that decodes hexadecimal strings.
    public init() {}

    /// Decodes a hexadecimal string.
    ///
    /// - Parameter from: A string of two digits for each byte, in uppercase or lowercase.
    /// - Returns: The decoded bytes.
    /// - Throws: `CoreError.DataSerialization` if the string is not hexadecimal or has an odd number of digits.
    public func map(_ from: String) throws -> Data {
        let digits = from.utf8.map(Self.digit)
        var data = Data(capacity: digits.count / 2)
        for index in stride(from: 0, to: digits.count - 1, by: 2) {
            if let high = digits[index], let low = digits[index + 1] { data.append(high << 4 | low) }
        }
        guard data.count * 2 == digits.count else {
            throw CoreError.DataSerialization(
                "A string of length \(digits.count) can't be decoded because it is not hexadecimal. Pass a string that `DataToHexStringMapper` encoded."
            )
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

/// Returns the bytes as lowercase hexadecimal digits, two for each byte.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
