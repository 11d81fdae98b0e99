#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A writer for XML property lists with tab indentation, as written by Foundation.
struct XMLPropertyListWriter {
    private var text = ""

    static func bytes(of root: StoredValue) -> [UInt8] {
        var writer = XMLPropertyListWriter()
        writer.text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """
        writer.write(root, indent: "")
        writer.text += "</plist>\n"
        return Array(writer.text.utf8)
    }

    private mutating func write(_ value: StoredValue, indent: String) {
        text += indent
        switch value {
        case .bool(let value): text += value ? "<true/>\n" : "<false/>\n"
        case .int(let number): element("integer", String(number))
        case .unsigned(let number): element("integer", String(number))
        case .float(let number): element("real", Self.text(of: Double(number)))
        case .double(let number): element("real", Self.text(of: number))
        case .string(let value), .url(let value): element("string", escaped(value))
        case .date(let date): element("date", PropertyListDate.text(of: date))
        case .data(let data): element("data", data.base64EncodedString())
        case .array(let elements):
            guard !elements.isEmpty else {
                text += "<array/>\n"
                return
            }
            text += "<array>\n"
            for element in elements { write(element, indent: indent + "\t") }
            text += indent + "</array>\n"
        case .dictionary(let entries):
            guard !entries.isEmpty else {
                text += "<dict/>\n"
                return
            }
            text += "<dict>\n"
            for entry in entries {
                text += indent + "\t"
                element("key", escaped(entry.key))
                write(entry.value, indent: indent + "\t")
            }
            text += indent + "</dict>\n"
        case .null: text += "<dict/>\n"
        }
    }

    private mutating func element(_ name: String, _ content: String) { text += "<\(name)>\(content)</\(name)>\n" }

    // XML readers treat a carriage return as a line feed.
    private func escaped(_ text: String) -> String { text.escapedForXML { $0 == 0xD } }

    private static func text(of number: Double) -> String {
        if number.isNaN { return "nan" }
        if number.isInfinite { return number < 0 ? "-infinity" : "+infinity" }
        return number.description
    }
}
