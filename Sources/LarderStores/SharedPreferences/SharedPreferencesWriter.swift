import LarderCore

/// A writer for Android's shared preferences files.
///
/// For the same sorted entries, the writer produces the same bytes as Android.
struct SharedPreferencesWriter {
    private var text = "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n"

    /// Encodes `entries` as the bytes of a document.
    ///
    /// `isLong` decides whether a number that fits in an `<int>` is written as a `<long>`. Throws `StoreError` with code `unsupportedValue`
    /// for a value that ``SharedPreferencesForm`` can't represent.
    static func bytes(of entries: [StoreEntry], isLong: (StoreEntry) -> Bool) throws -> [UInt8] {
        var writer = SharedPreferencesWriter()
        writer.text += entries.isEmpty ? "<map />\n" : "<map>\n"
        for entry in entries { try writer.write(entry, isLong: isLong(entry)) }
        if !entries.isEmpty { writer.text += "</map>\n" }
        return Array(writer.text.utf8)
    }

    private mutating func write(_ entry: StoreEntry, isLong: Bool) throws {
        switch entry.value {
        case .bool(let truth): element("boolean", entry.key, truth ? "true" : "false")
        case .int(let number):
            let isInt = !isLong && Int32(exactly: number) != nil
            element(isInt ? "int" : "long", entry.key, String(number))
        case .float(let number): element("float", entry.key, SharedPreferencesNumber.text(of: number))
        case .double(let number): element("double", entry.key, SharedPreferencesNumber.text(of: number))
        case .string(let content):
            begin("string", entry.key)
            text += ">\(escaped(content))</string>\n"
        default:
            let members = try SharedPreferencesForm.members(of: entry.value, under: StoreKey(entry.key))
            begin("set", entry.key)
            guard !members.isEmpty else {
                text += " />\n"
                return
            }
            text += ">\n"
            for member in members { text += "        <string>\(escaped(member))</string>\n" }
            text += "    </set>\n"
        }
    }

    private mutating func begin(_ name: String, _ key: String) { text += "    <\(name) name=\"\(escaped(key))\"" }

    private mutating func element(_ name: String, _ key: String, _ value: String) {
        begin(name, key)
        text += " value=\"\(value)\" />\n"
    }

    private func escaped(_ text: String) -> String { text.escapedForXML { $0 < 0x20 || $0 == 0x22 } }
}
