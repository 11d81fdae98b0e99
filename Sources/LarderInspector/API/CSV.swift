#if Inspector
import LarderCore

/// A namespace for the format of exported tables (RFC 4180).
enum CSV {
    static func line(_ cells: [String]) -> [UInt8] {
        Array((cells.map(quoted).joined(separator: ",") + "\r\n").utf8)
    }

    /// Returns a value as text: arrays and dictionaries as JSON, data as base64, null as nothing.
    static func cell(_ value: StoredValue, _ form: ValueForm) -> String {
        if !form.reveals, value.isMaskedList(form) { return "(masked)" }
        switch value {
        case .null: return ""
        case .bool, .int, .unsigned, .float, .double: return value.description
        case .date: return self.text(value.description)
        case .string(let text): return self.text(form.reveals ? text : MaskedJSON.text(text) ?? text)
        case .url(let text): return self.text(text)
        case .data(let data):
            let bytes = [UInt8](data)
            return self.text(Base64.text(form.reveals ? bytes : MaskedJSON.bytes(bytes) ?? bytes))
        case .array, .dictionary:
            var json = JSONText()
            json.value(value, form)
            return self.text(String(decoding: json.bytes, as: UTF8.self))
        }
    }

    /// Returns a text that no spreadsheet takes for a formula: if it begins like one, an apostrophe precedes it.
    static func text(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, "=+-@\t\r\n＝＋－＠".unicodeScalars.contains(first) else {
            return text
        }
        return "'" + text
    }

    private static func quoted(_ cell: String) -> String {
        guard cell.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else { return cell }
        return "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }
}
#endif
