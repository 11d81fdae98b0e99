#if Objects
extension ObjectDatabase {
    /// Returns an entity-relationship diagram in Mermaid syntax.
    package func mermaid() -> String {
        func plain(_ name: String) -> String {
            String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
        }
        var lines = ["erDiagram"]
        for entity in entities {
            lines.append("    \(plain(entity.name)) {")
            for column in entity.attributes {
                let key = entity.unique.contains([column.name]) ? " UK" : ""
                lines.append("        \(column.format) \(plain(column.name))\(key)")
            }
            lines.append("    }")
        }
        for (entity, relationship) in pairs {
            let back = inverse(of: relationship)
            let left = back?.isToMany == true ? "}o" : back?.isRequired == true ? "||" : "|o"
            let right = relationship.isToMany ? "o{" : relationship.isRequired ? "||" : "o|"
            lines.append(
                "    \(plain(entity.name)) \(left)--\(right) \(plain(relationship.destination)) : \(plain(relationship.name))"
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Each pair of inverse relationships, represented by one relationship and its entity.
    private var pairs: [(Entity, Relationship)] {
        entities.flatMap { entity in entity.relationships.filter(\.namesInverse).map { (entity, $0) } }
    }

    private func inverse(of relationship: Relationship) -> Relationship? {
        entities.first { $0.name == relationship.destination }?.relationships.first { $0.name == relationship.inverse }
    }

    private struct Box {
        var x: Int
        var y: Int
        var height: Int
        static let width = 220
        static let line = 16
    }

    /// Returns an SVG drawing with a box for each entity and a line for each relationship.
    package func svg() -> String {
        let columns = max(1, Int(Double(entities.count).squareRoot().rounded(.up)))
        var boxes: [String: Box] = [:]
        var heights = Array(repeating: 20, count: columns)
        for (place, entity) in entities.enumerated() {
            let height = (entity.attributes.count + 2) * Box.line
            boxes[entity.name] = Box(
                x: 20 + place % columns * (Box.width + 90),
                y: heights[place % columns],
                height: height
            )
            heights[place % columns] += height + 50
        }
        let size = (20 + columns * (Box.width + 90), heights.max() ?? 20)
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(size.0)\" height=\"\(size.1)\" font-family=\"monospace\" font-size=\"12\">",
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
        ]
        for (entity, relationship) in pairs {
            guard let from = boxes[entity.name], let to = boxes[relationship.destination] else { continue }
            let (start, end) = ((from.x + Box.width, from.y + 12), (to.x, to.y + 12))
            let bend = max(40, abs(end.0 - start.0) / 2)
            lines.append(
                "<path d=\"M\(start.0) \(start.1) C\(start.0 + bend) \(start.1) \(end.0 - bend) \(end.1) \(end.0) \(end.1)\" fill=\"none\" stroke=\"#777\"/>"
            )
            let sign =
                (inverse(of: relationship)?.isToMany == true ? "*" : "1") + "–" + (relationship.isToMany ? "*" : "1")
            lines.append(
                "<text x=\"\((start.0 + end.0) / 2)\" y=\"\((start.1 + end.1) / 2 - 4)\" fill=\"#555\">\(Self.escaped(relationship.name)) \(sign)</text>"
            )
        }
        for entity in entities {
            guard let box = boxes[entity.name] else { continue }
            lines.append(
                "<rect x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(Box.width)\" height=\"\(box.height)\" rx=\"4\" fill=\"#f6f8fa\" stroke=\"#333\"/>"
            )
            lines.append(
                "<text x=\"\(box.x + 8)\" y=\"\(box.y + 15)\" font-weight=\"bold\">\(Self.escaped(entity.name)) (\(entity.count))</text>"
            )
            for (place, column) in entity.attributes.enumerated() {
                let text = "\(column.name): \(column.format)" + (column.isRequired ? "" : "?")
                lines.append(
                    "<text x=\"\(box.x + 8)\" y=\"\(box.y + 15 + (place + 1) * Box.line)\">\(Self.escaped(text))</text>"
                )
            }
        }
        return lines.joined(separator: "\n") + "\n</svg>\n"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }
}
#endif
