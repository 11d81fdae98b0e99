#if Objects
import SwiftSyntax
import SwiftSyntaxBuilder

/// What an entity with `bridges:` has beside its properties: the way from the struct and back.
enum EntityBridge {
    static func members(
        of entity: ClassDeclSyntax,
        _ properties: [EntityProperty],
        _ bridged: String?,
        _ access: String
    ) -> [DeclSyntax] {
        guard let bridged else { return [] }
        let present = Set(entity.memberBlock.members.compactMap { $0.decl.as(FunctionDeclSyntax.self)?.name.text })
        var members: [DeclSyntax] = [columnValues(properties, bridged, access)]
        // Whoever writes one of the two by hand knows better.
        if !present.contains("update") { members.append(update(properties, bridged, access)) }
        if !present.contains("toReadOnly"), !properties.contains(where: { $0.isRelationship && $0.isBridged }) {
            members.append(rowValue(properties, bridged, access))
        }
        if !present.contains("toReadOnly") { members.append(toReadOnly(properties, bridged, access)) }
        return members
    }

    private static func update(_ properties: [EntityProperty], _ bridged: String, _ access: String) -> DeclSyntax {
        var relationship = -1
        let lines = properties.compactMap { property -> String? in
            switch property.kind {
            case .attribute: return property.isBridged ? "self.\(property.name) = value.\(property.name)" : nil
            case .relationship(let cardinality):
                relationship += 1
                guard property.isBridged else { return nil }
                let call = cardinality == .many ? "updateMany" : "updateOne"
                return
                    "objectState.\(call)(\(relationship), \(property.elementType).self, with: value.\(property.name))"
            }
        }
        return """
            \(raw: access)func update(with value: \(raw: bridged)) {
            \(raw: lines.joined(separator: "\n"))
            }
            """
    }

    private static func toReadOnly(_ properties: [EntityProperty], _ bridged: String, _ access: String) -> DeclSyntax {
        let arguments = properties.filter(\.isBridged).map { property in
            switch property.kind {
            case .attribute: "\(property.name): self.\(property.name)"
            case .relationship(.many): "\(property.name): self.\(property.name).map { $0.toReadOnly() }"
            case .relationship(.optionalOne): "\(property.name): self.\(property.name)?.toReadOnly()"
            case .relationship(.requiredOne): "\(property.name): self.\(property.name).toReadOnly()"
            }
        }
        return """
            \(raw: access)func toReadOnly() -> \(raw: bridged) {
            \(raw: bridged)(\(raw: arguments.joined(separator: ", ")))
            }
            """
    }

    private static func rowValue(_ properties: [EntityProperty], _ bridged: String, _ access: String) -> DeclSyntax {
        let attributes = properties.filter { !$0.isRelationship }
        let arguments = attributes.enumerated().filter(\.element.isBridged).map { index, property in
            let missing = property.initializer?.description ?? (property.isOptional ? "nil" : ".placeholder")
            return
                "\(property.name): row.value(\(index), LarderObjects.AttributeCodings.of((\(property.type)).self), default: \(missing))"
        }
        return """
            \(raw: access)static func readOnlyValue(of row: LarderObjects.ObjectRow) -> \(raw: bridged)? {
            \(raw: bridged)(\(raw: arguments.joined(separator: ",\n")))
            }
            """
    }

    private static func columnValues(
        _ properties: [EntityProperty],
        _ bridged: String,
        _ access: String
    ) -> DeclSyntax {
        let attributes = properties.filter { !$0.isRelationship }
        let cases = attributes.enumerated().filter(\.element.isBridged).map { index, property in
            "case \(index): LarderObjects.AttributeCodings.of((\(property.type)).self).encode(value.\(property.name))"
        }
        return """
            \(raw: access)static func columnValue(_ attribute: Int, of value: \(raw: bridged)) -> LarderObjects.ColumnValue? {
            switch attribute {
            \(raw: cases.joined(separator: "\n"))
            default: nil
            }
            }
            """
    }
}
#endif
