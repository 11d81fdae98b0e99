import Foundation
import LarderCore

extension PropertyListForm {
    static let escapedKeyPrefix = "larder:key:"

    /// Returns the string that represents `key` in a property list.
    ///
    /// The string is `key` itself, or an escaped form if a property list can't represent `key` unambiguously.
    package func key(for key: String) -> String {
        guard mustEscape(key) else { return key }
        var escaped = Self.escapedKeyPrefix
        for byte in key.utf8 {
            if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%") {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                escaped += byte < 0x10 ? "%0" : "%"
                escaped += String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }

    /// Returns the key that a string in a property list represents.
    ///
    /// - Parameters:
    ///   - text: A key of the property list, which any program may have written.
    ///   - path: The path to the dictionary that contains the key, for error messages.
    /// - Returns: The decoded key.
    /// - Throws: `StoreError` with code `damaged` if an escaped key is malformed.
    package func text(ofKey text: String, path: [String] = []) throws -> String {
        guard text.utf8.starts(with: Self.escapedKeyPrefix.utf8) else { return text }
        var bytes: [UInt8] = []
        var rest = text.utf8.dropFirst(Self.escapedKeyPrefix.utf8.count)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Self.hexadecimal),
                let low = rest.popFirst().flatMap(Self.hexadecimal)
            else { throw Self.damaged("the escaped key \(text.debugDescription) is incomplete", path: path + [text]) }
            bytes.append(high << 4 | low)
        }
        guard let key = String(validating: bytes, as: UTF8.self) else {
            throw Self.damaged("the escaped key \(text.debugDescription) is not valid UTF-8", path: path + [text])
        }
        return key
    }

    private func mustEscape(_ key: String) -> Bool {
        if key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
            return key == Self.typeKey || key.utf8.starts(with: Self.escapedKeyPrefix.utf8)
        }
        return key.utf8.contains(0) || key.beginsWithByteOrderMark
            || keepsToXML && (key.utf8.contains(0xD) || key.hasCharacterForbiddenInXML)
            || !key.precomposedStringWithCanonicalMapping.hasSameBytes(as: key)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
