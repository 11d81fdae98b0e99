#if Inspector
import LarderCore
import LarderFiles

extension InspectorAnswer {
    /// Creates the answer for a file that a browser saves.
    ///
    /// - Parameters:
    ///   - name: A name for the file. Characters that are not safe in a header or a file name are replaced.
    ///   - type: The media type.
    ///   - body: The content.
    init(download name: String, type: String, _ body: Body) {
        self.init(200, type: type, body)
        headers.append(("Content-Disposition", "attachment; filename=\"\(Self.safeName(name))\""))
    }

    private static func safeName(_ name: String) -> String {
        let safe = name.unicodeScalars.suffix(100).map { scalar in
            let isSafe =
                scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains(scalar))
            return isSafe ? Character(scalar) : "_"
        }
        let text = String(safe).trimmingPrefix { $0 == "." }
        return text.isEmpty ? "larder" : String(text)
    }
}

extension InspectedInstance {
    /// Returns one value as a download: strings and data as they are, other values as JSON.
    ///
    /// Without a name of a column, the value is that of the column "value" or, if there is none, of the last column.
    func download(_ target: RequestTarget) throws -> InspectorAnswer {
        let table = try table(target.text("table"))
        let record = try record(target.required("key"), in: table)
        let columns = try RecordColumns(table, instance.inspectionRole, revealing: target.revealed(in: table))
        let index: Int
        if let name = target.text("column") {
            guard let found = columns.names.firstIndex(of: name), found < record.values.count else {
                throw Refusal.notFound("The table has no column \(name.debugDescription). Use one of its columns.")
            }
            index = found
        } else {
            index = columns.names.firstIndex(of: "value") ?? record.values.count - 1
        }
        guard record.values.indices.contains(index) else {
            throw Refusal.notFound("The record has no values. Read the record again.")
        }
        let form = columns.form(.whole, of: index)
        if !form.reveals, columns.isSecret(index, of: record) || record.values[index].isMaskedList(form) {
            throw Refusal(
                400,
                "masked",
                "The value may be a secret. Add the parameter \"reveal\" with the name of its column to download it."
            )
        }
        let name = columns.names.indices.contains(index) ? "\(record.key).\(columns.names[index])" : record.key
        switch record.values[index] {
        case .data(let data):
            let bytes = [UInt8](data)
            let shown = form.reveals ? bytes : MaskedJSON.bytes(bytes) ?? bytes
            return InspectorAnswer(download: name, type: "application/octet-stream", .bytes(shown))
        case .string(let text), .url(let text):
            let shown = form.reveals ? text : MaskedJSON.text(text) ?? text
            return InspectorAnswer(download: name + ".txt", type: "application/octet-stream", .bytes(Array(shown.utf8)))
        case let value:
            var json = JSONText()
            json.value(value, form)
            return InspectorAnswer(download: name + ".json", type: "application/octet-stream", .bytes(json.bytes))
        }
    }

    /// Returns the record with a key.
    ///
    /// - Throws: ``Refusal`` if there is none.
    func record(_ key: String, in table: InspectionTable) throws -> InspectionRecord {
        guard let record = try instance.inspectionRecord(key, in: table.name) else {
            throw Refusal.notFound("The table has no record with this key any more. Read the table again.")
        }
        return record
    }
}
#endif
