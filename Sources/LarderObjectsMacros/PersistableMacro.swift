#if Objects
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The implementation of `@Persistable`, which generates the entity class that stores a struct.
enum PersistableMacro: PeerMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let value = declaration.as(StructDeclSyntax.self) else {
            context.diagnose(Diagnostic(node: node, message: EntityDiagnostic.notAStruct))
            return []
        }
        let name = value.name.text.trimmingBackticks
        let access =
            value.modifiers.first { ["public", "package"].contains($0.name.text) }.map { $0.name.text + " " } ?? ""
        var arguments: [String] = []
        var parent: String?
        var parentName = "parent"
        if case .argumentList(let list)? = node.arguments {
            for argument in list {
                switch argument.label?.text {
                case "unique", "indexes", "dropping", "keeping":
                    arguments.append(argument.trimmedDescription.trimmingComma)
                case "was":
                    // The class that stores the struct has the prefix `Stored` in every version.
                    let names = EntityProperty.values("was", in: Array(list)).map { name in
                        name.hasPrefix("\"") ? "\"Stored" + name.dropFirst() : name
                    }
                    arguments.append("was: " + names.joined(separator: ", "))
                case "parent": parent = argument.expression.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription
                case "named":
                    parentName = String(argument.expression.trimmedDescription.filter { $0 != "\"" })
                default: break
                }
            }
        }
        arguments.append("bridges: \(name).self")
        var lines = value.memberBlock.members.compactMap { member in
            member.decl.as(VariableDeclSyntax.self).flatMap { line($0, access) }
        }
        if let parent { lines.append("@Relationship \(access)var \(parentName): Stored\(parent)?") }
        return [
            """
            @Entity(\(raw: arguments.joined(separator: ", "))) nonisolated \(raw: access)final class Stored\(raw: name) {
            \(raw: lines.joined(separator: "\n"))
            }
            """
        ]
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let value = declaration.as(StructDeclSyntax.self) else { return [] }
        let access =
            value.modifiers.first { ["public", "package"].contains($0.name.text) }.map { $0.name.text + " " } ?? ""
        // An extension can't use the names in the scope that encloses a nested struct.
        let around = type.trimmedDescription.split(separator: ".").dropLast().map { $0 + "." }.joined()
        return [
            try ExtensionDeclSyntax(
                """
                nonisolated extension \(type.trimmed): LarderObjects.PersistableValue {
                \(raw: access)typealias StoredObject = \(raw: around)Stored\(raw: value.name.text.trimmingBackticks)
                }
                """
            )
        ]
    }

    /// Returns the entity class's declaration of a struct property, or `nil` if the property is not stored.
    private static func line(_ variable: VariableDeclSyntax, _ access: String) -> String? {
        guard EntityProperty.isStored(variable), variable.bindings.count == 1, let binding = variable.bindings.first
        else { return nil }
        // A constant with an initial value has the same value in all structs, so it is not stored.
        if variable.bindingSpecifier.tokenKind == .keyword(.let), binding.initializer != nil { return nil }
        var markers = ""
        for name in ["Attribute", "Relationship"] {
            if let marker = EntityProperty.attribute(name, of: variable) { markers += marker.trimmedDescription + " " }
        }
        let name = binding.pattern.trimmedDescription
        let initializer = binding.initializer.map { " " + $0.trimmedDescription } ?? ""
        guard let type = binding.typeAnnotation?.type else { return "\(markers)\(access)var \(name)\(initializer)" }
        guard let relationship = EntityProperty.attribute("Relationship", of: variable) else {
            return "\(markers)\(access)var \(name): \(type.trimmedDescription)\(initializer)"
        }
        // Nested structs are bridged, regardless of the delete rule.
        var said = relationship.trimmedDescription
        if !said.contains("bridged:") {
            said = said.hasSuffix(")") ? said.dropLast() + ", bridged: true)" : said + "(bridged: true)"
        }
        let stored: String
        if let array = type.as(ArrayTypeSyntax.self) {
            stored = "[Stored\(array.element.trimmedDescription)]"
        } else if let optional = type.as(OptionalTypeSyntax.self) {
            stored = "Stored\(optional.wrappedType.trimmedDescription)?"
        } else {
            stored = "Stored\(type.trimmedDescription)"
        }
        return "\(said) \(access)var \(name): \(stored)"
    }
}

extension String {
    fileprivate var trimmingComma: String { hasSuffix(",") ? String(dropLast()) : self }
}
#endif
