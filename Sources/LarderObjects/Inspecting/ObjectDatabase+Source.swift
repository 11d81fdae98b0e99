#if Objects
extension ObjectDatabase {
    /// Returns Swift source code that declares the `@Entity` classes of the stored model.
    ///
    /// The source code omits default values, enumerations and the types of JSON attributes, because the database does not contain them.
    package func swiftSource() -> String {
        var text = "import Foundation\nimport LarderObjects\n"
        for entity in entities { text += "\n" + Self.source(of: entity) }
        let types = entities.map { "\(Self.identifier($0.name)).self" }.joined(separator: ", ")
        return text + "\nlet model = ObjectModel([\(types)], version: \(modelVersion))\n"
    }

    private static func source(of entity: Entity) -> String {
        func list(_ label: String, _ groups: [[String]]) -> [String] {
            let references = Set(entity.columns.filter { $0.format == "reference" }.map(\.name))
            let written = groups.filter { $0.count > 1 && !($0.allSatisfy(references.contains)) }
            guard !written.isEmpty else { return [] }
            let texts = written.map { "[" + $0.map(\.debugDescription).joined(separator: ", ") + "]" }
            return ["\(label): [\(texts.joined(separator: ", "))]"]
        }
        let arguments = list("unique", entity.unique) + list("indexes", entity.indexes)
        var text = "@Entity" + (arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))")
        text += "\nfinal class \(identifier(entity.name)) {\n"
        let folded = Set(entity.columns.filter { $0.format == "folded" }.map(\.name))
        for column in entity.attributes {
            var options: [String] = []
            if entity.unique.contains([column.name]) { options.append(".unique") }
            if entity.indexes.contains([column.name]) { options.append(".indexed") }
            if folded.contains(column.name + ".folded") { options.append(".searchable") }
            let marker = options.isEmpty ? "" : "@Attribute(\(options.joined(separator: ", "))) "
            text += "    \(marker)var \(identifier(column.name)): \(type(of: column))\n"
        }
        for relationship in entity.relationships {
            var said: [String] = []
            if relationship.deleteRule != "nullify" { said.append("deleteRule: .\(relationship.deleteRule)") }
            if relationship.namesInverse {
                said.append("inverse: \\\(identifier(relationship.destination)).\(identifier(relationship.inverse))")
            }
            if relationship.isOrdered { said.append("ordered: true") }
            let other = identifier(relationship.destination)
            let type = relationship.isToMany ? "[\(other)]" : relationship.isRequired ? other : "\(other)?"
            let marker = "@Relationship" + (said.isEmpty ? "" : "(\(said.joined(separator: ", ")))")
            text += "    \(marker) var \(identifier(relationship.name)): \(type)\n"
        }
        return text + "}\n"
    }

    private static let types = [
        "int8": "Int8", "int16": "Int16", "int32": "Int32", "int64": "Int64", "uint8": "UInt8", "uint16": "UInt16",
        "uint32": "UInt32", "uint64": "UInt64", "double": "Double", "float": "Float", "bool": "Bool",
        "string": "String",
        "url": "URL", "data": "Data", "uuid": "UUID", "date": "Date", "decimal": "Decimal",
    ]

    private static func type(of column: Column) -> String {
        if let type = types[column.format] { return column.isRequired ? type : type + "?" }
        return (column.isRequired ? "[String] = []" : "[String]?") + "  // \(column.format): use the Codable type"
    }

    /// Returns a Swift identifier for the stored name of an entity or property, in backticks if necessary.
    static func identifier(_ name: String) -> String {
        let words: Set<String> = [
            "class", "struct", "enum", "protocol", "func", "var", "let", "case", "default", "switch", "in", "is", "as",
            "if",
            "else", "for", "while", "repeat", "return", "self", "Self", "Type", "init", "deinit", "extension", "import",
            "operator", "private", "public", "static", "subscript", "super", "throw", "throws", "true", "false", "nil",
            "where",
            "do", "break", "continue", "guard", "defer", "catch", "try", "internal", "fileprivate", "inout", "any",
            "Any",
        ]
        let isPlain =
            name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && name.first?.isNumber == false
            && !words.contains(name)
        if isPlain { return name }
        // The name comes from a file that may be hostile, so no character of the name may end the identifier early.
        return "`" + String(name.map { $0 == "`" || $0 == "\\" || $0.isNewline || $0 == "\0" ? "_" : $0 }) + "`"
    }
}
#endif
