import Foundation
import LarderCore

/// Values as the text that `larder get` prints; what `larder put` takes under the same type.
enum ValueText {
    static func text(_ value: StoredValue) -> String {
        switch value {
        case .string(let text), .url(let text): text
        case .date(let date): DateText.text(date)
        case .data(let data): data.base64EncodedString()
        case .float(let number): self.number(number)
        case .double(let number): self.number(number)
        case .bool, .int, .unsigned, .array, .dictionary, .null: JSONWriter.plain(value)
        }
    }

    /// The shortest text that reads back to the same number, whole numbers without ".0".
    static func number(_ number: some BinaryFloatingPoint & CustomStringConvertible) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
