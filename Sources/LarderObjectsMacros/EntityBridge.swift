#if Objects
import SwiftSyntax
import SwiftSyntaxBuilder

/// A namespace for functions that generate the conversions between an entity and the type in its `bridges:` argument.
enum EntityBridge {
    static func members(
        of entity: ClassDeclSyntax,
        _ properties: [EntityProperty],
        _ bridged: String?,
        _ access: String
    ) -> [DeclSyntax] {
        guard let bridged else { return [] }
        let present = Set(entity.memberBlock.members.compactMap { $0.decl.as(FunctionDeclSyntax.self)?.name.text })
        // The conversions are in the class, because an extension can't use the names in the scope that encloses a nested class.
        var members: [DeclSyntax] = [
            "\(raw: access)typealias ReadOnlyType = \(raw: bridged)", columnValues(properties, bridged, access),
        ]
        // A conversion that the class implements itself is not generated.
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
            case .attribute: return property.isBridged ? "self.\(property.code) = value.\(property.code)" : nil
            case .relationship(let cardinality):
                relationship += 1
                guard property.isBridged else { return nil }
                let call = cardinality == .many ? "updateMany" : "updateOne"
                return
                    "objectState.\(call)(\(relationship), \(property.elementType).self, with: value.\(property.code))"
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
            case .attribute: "\(property.code): self.\(property.code)"
            case .relationship(.many): "\(property.code): self.\(property.code).map { $0.toReadOnly() }"
            case .relationship(.optionalOne): "\(property.code): self.\(property.code)?.toReadOnly()"
            case .relationship(.requiredOne): "\(property.code): self.\(property.code).toReadOnly()"
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
                "\(property.code): row.value(\(index), LarderObjects.AttributeCodings.of((\(property.type)).self), default: \(missing))"
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
            "case \(index): LarderObjects.AttributeCodings.of((\(property.type)).self).encode(value.\(property.code))"
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
