#if Objects
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A macro that generates the accessors of an attribute.
enum AttributeAccessorMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = declaration.as(VariableDeclSyntax.self).flatMap(EntityProperty.init),
            let index = place(node)
        else { return [] }
        let coding = "LarderObjects.AttributeCodings.of((\(property.type)).self)"
        let missing = property.initializer?.description ?? (property.isOptional ? "nil" : ".placeholder")
        return [
            "get { objectState.value(\(raw: index), \(raw: coding), default: \(raw: missing)) }",
            "set { objectState.setValue(\(raw: index), \(raw: coding), newValue) }",
        ]
    }
}

/// A macro that generates the accessors of a relationship.
enum RelationshipAccessorMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = declaration.as(VariableDeclSyntax.self).flatMap(EntityProperty.init),
            let index = place(node), case .relationship(let cardinality) = property.kind
        else { return [] }
        let (get, set) =
            switch cardinality {
            case .optionalOne: ("one", "setOne")
            case .requiredOne: ("requiredOne", "setOne")
            case .many: ("many", "setMany")
            }
        return [
            "get { objectState.\(raw: get)(\(raw: index), \(raw: property.elementType).self) }",
            "set { objectState.\(raw: set)(\(raw: index), newValue) }",
        ]
    }
}

/// Returns the source text of an accessor macro's argument, which is the property's index.
private func place(_ node: AttributeSyntax) -> String? {
    guard case .argumentList(let list)? = node.arguments else { return nil }
    return list.first?.expression.trimmedDescription
}
#endif
