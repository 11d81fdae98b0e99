#if Objects
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Implements `@Entity`, which generates the conformance to `Object`.
enum EntityMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let entity = declaration.as(ClassDeclSyntax.self) else {
            context.diagnose(Diagnostic(node: node, message: EntityDiagnostic.notAClass))
            return []
        }
        EntityChecks.check(entity, in: context)
        let properties = EntityProperty.all(in: entity)
        let access = access(of: entity)
        var members: [DeclSyntax] = [
            "\(raw: access)let objectState: LarderObjects.ObjectState",
            "\(raw: access)init(objectState state: LarderObjects.ObjectState) { self.objectState = state }",
            description(of: entity, properties, constraints(node), access),
        ]
        for (index, property) in relationships(properties).enumerated() {
            guard case .relationship(.many) = property.kind, property.name.isPlainIdentifier else { continue }
            let name = property.name.prefix(1).uppercased() + property.name.dropFirst()
            members.append(
                "\(raw: access)func addTo\(raw: name)(_ objects: \(raw: property.elementType)...) { objectState.add(\(raw: index), objects) }"
            )
            members.append(
                "\(raw: access)func removeFrom\(raw: name)(_ objects: \(raw: property.elementType)...) { objectState.remove(\(raw: index), objects) }"
            )
        }
        return members + EntityBridge.members(of: entity, properties, bridged(node), access)
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard declaration.is(ClassDeclSyntax.self), let variable = member.as(VariableDeclSyntax.self),
            let property = EntityProperty(variable)
        else { return [] }
        let properties = EntityProperty.all(in: declaration)
        switch property.kind {
        case .attribute:
            let index = attributes(properties).firstIndex { $0.name == property.name } ?? 0
            return ["@LarderObjects.EntityAttribute(\(raw: index))"]
        case .relationship:
            let index = relationships(properties).firstIndex { $0.name == property.name } ?? 0
            return ["@LarderObjects.EntityRelationship(\(raw: index))"]
        }
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let entity = declaration.as(ClassDeclSyntax.self) else { return [] }
        if let clause = EntityChecks.entitySuperclass(of: entity, missing: protocols) {
            let name = clause.type.trimmedDescription
            context.diagnose(Diagnostic(node: clause.type, message: EntityDiagnostic.entitySuperclass(name)))
            return []
        }
        // With main-actor default isolation, an extension is isolated even if the class is nonisolated.
        var extensions = [
            try ExtensionDeclSyntax("nonisolated extension \(type.trimmed): LarderObjects.Object {}"),
            try ExtensionDeclSyntax(
                "@available(*, unavailable) nonisolated extension \(type.trimmed): @unchecked Sendable {}"
            ),
        ]
        if bridged(node) != nil {
            extensions.append(
                try ExtensionDeclSyntax("nonisolated extension \(type.trimmed): LarderObjects.ReadOnlyConvertible {}")
            )
        }
        return extensions
    }

    private static func attributes(_ properties: [EntityProperty]) -> [EntityProperty] {
        properties.filter { if case .attribute = $0.kind { true } else { false } }
    }

    private static func relationships(_ properties: [EntityProperty]) -> [EntityProperty] {
        properties.filter { if case .relationship = $0.kind { true } else { false } }
    }

    private static func access(of entity: ClassDeclSyntax) -> String {
        for modifier in entity.modifiers where ["public", "package"].contains(modifier.name.text) {
            return modifier.name.text + " "
        }
        return ""
    }

    /// Returns the source text of all attribute arguments except `bridges`.
    ///
    /// The arguments of a variadic parameter are returned as an array literal.
    private static func constraints(_ node: AttributeSyntax) -> String {
        guard case .argumentList(let list)? = node.arguments else { return "" }
        let arguments = Array(list)
        return arguments.compactMap { argument -> String? in
            guard let label = argument.label?.text, label != "bridges" else { return nil }
            let value =
                label == "was"
                ? "[" + EntityProperty.values(label, in: arguments).joined(separator: ", ") + "]"
                : argument.expression.trimmedDescription
            return ", \(label): \(value)"
        }
        .joined()
    }

    /// Returns the name of the struct in the argument `bridges: Struct.self`.
    private static func bridged(_ node: AttributeSyntax) -> String? {
        guard case .argumentList(let list)? = node.arguments,
            let argument = list.first(where: { $0.label?.text == "bridges" }),
            let access = argument.expression.as(MemberAccessExprSyntax.self), access.declName.baseName.text == "self"
        else { return nil }
        return access.base?.trimmedDescription
    }

    private static func description(
        of entity: ClassDeclSyntax,
        _ properties: [EntityProperty],
        _ constraints: String,
        _ access: String
    ) -> DeclSyntax {
        let name = entity.name.text
        let lines = properties.map { property in
            switch property.kind {
            case .attribute: attributeEntry(property, name)
            case .relationship: relationshipEntry(property, name)
            }
        }
        return """
            \(raw: access)static let entityDescription = LarderObjects.EntityDescription(\(raw: name).self, name: "\(raw: name.trimmingBackticks.literal)"\(raw: constraints), properties: [
            \(raw: lines.joined(separator: ",\n"))
            ])
            """
    }

    private static func attributeEntry(_ property: EntityProperty, _ entity: String) -> String {
        let options = property.options.map(\.trimmedDescription)
        let replacement = property.arguments.first { $0.label?.text == "default" }?.expression.trimmedDescription
        var entry =
            "LarderObjects.PropertyDescription.attribute(\"\(property.name.literal)\", \\\(entity).\(property.code), "
            + "LarderObjects.AttributeCodings.of((\(property.type)).self)"
        if !options.isEmpty { entry += ", options: [\(options.joined(separator: ", "))]" }
        if let was = property.list("was") { entry += ", was: \(was)" }
        if let replacement { entry += ", replacement: { \(replacement) }" }
        if let value = property.initializer {
            entry += ", default: { \(value) }"
        } else if property.isOptional {
            entry += ", default: { nil }"
        }
        return entry + ")"
    }

    private static func relationshipEntry(_ property: EntityProperty, _ entity: String) -> String {
        let order = ["inverse", "deleteRule", "ordered"]
        let arguments = order.compactMap { label in
            property.arguments.first { $0.label?.text == label }.map { argument in
                let written = argument.expression.trimmedDescription
                let isName = argument.expression.is(StringLiteralExprSyntax.self)
                return ", \(label): "
                    + (isName ? "\\\(property.elementType).\(written.filter { $0 != "\"" })" : written)
            }
        }
        let was = property.list("was").map { ", was: \($0)" } ?? ""
        let kept = property.arguments.first { $0.label?.text == "keeping" }?.expression.trimmedDescription
        let keeping = kept.map { ", keeping: \($0)" } ?? ""
        return
            "LarderObjects.PropertyDescription.relationship(\"\(property.name.literal)\", \\\(entity).\(property.code)"
            + "\(arguments.joined())\(was)\(keeping))"
    }
}

/// Implements `@Attribute` and `@Relationship`, which only mark properties for `@Entity` and generate no code.
enum MarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}
#endif
