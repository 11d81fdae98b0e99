import Foundation
import LarderCore

/// A namespace for functions that format values in the syntax that `larder get` prints and `larder put` accepts.
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

    /// Returns the shortest string that parses as the same number, without ".0" at the end of whole numbers.
    static func number(_ number: some BinaryFloatingPoint & CustomStringConvertible) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
