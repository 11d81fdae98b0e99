#if Objects
import SwiftDiagnostics
import SwiftSyntax

/// A stored property of an entity class, in source form.
struct EntityProperty {
    enum Kind {
        case attribute
        case relationship(Cardinality)
    }

    enum Cardinality { case optionalOne, requiredOne, many }

    let name: String
    /// The property's name as written in the source code, with backticks if necessary.
    let code: String
    /// The property's type as written in the source code.
    let type: String
    /// The name of the related class if the property is a relationship.
    let elementType: String
    let initializer: ExprSyntax?
    let kind: Kind
    /// The arguments of the property's `@Attribute` or `@Relationship` attribute.
    let arguments: [LabeledExprSyntax]

    /// The unlabeled arguments at the start of the argument list, which are the property's options.
    var options: [ExprSyntax] { arguments.prefix { $0.label == nil }.map(\.expression) }

    /// Returns the arguments of the attribute's variadic parameter `label` as an array literal, or `nil` if there are none.
    func list(_ label: String) -> String? {
        let values = Self.values(label, in: arguments)
        return values.isEmpty ? nil : "[" + values.joined(separator: ", ") + "]"
    }

    /// Returns the source code of each argument that belongs to the variadic parameter `label`.
    static func values(_ label: String, in arguments: [LabeledExprSyntax]) -> [String] {
        guard let first = arguments.firstIndex(where: { $0.label?.text == label }) else { return [] }
        let rest = arguments[arguments.index(after: first)...].prefix { $0.label == nil }
        return ([arguments[first]] + rest).map { $0.expression.trimmedDescription }
    }

    var isRelationship: Bool { if case .relationship = kind { true } else { false } }

    /// Whether the property is included in the bridged struct, which the class declares with `bridges:`.
    var isBridged: Bool {
        switch kind {
        case .attribute:
            return !arguments.contains {
                $0.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "unbridged"
            }
        case .relationship:
            if let said = arguments.first(where: { $0.label?.text == "bridged" }) {
                return said.expression.trimmedDescription == "true"
            }
            return arguments.first { $0.label?.text == "deleteRule" }?.expression.trimmedDescription.hasSuffix(
                "cascade"
            )
                ?? false
        }
    }

    var isOptional: Bool { type.hasSuffix("?") || type.hasPrefix("Optional<") }

    /// The types for which a property needs no default value, because a placeholder is used until the property is set.
    static let typesWithPlaceholder: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float",
        "Bool",
        "String", "Data", "Date", "URL", "UUID", "Decimal",
    ]

    /// Returns the stored properties of a class in source order.
    static func all(in declaration: some DeclGroupSyntax) -> [EntityProperty] {
        declaration.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self).flatMap(EntityProperty.init) }
    }

    /// Creates a property from a variable declaration, or returns `nil` if the variable is not a supported stored property.
    init?(_ variable: VariableDeclSyntax) {
        guard Self.isStored(variable), variable.bindingSpecifier.tokenKind == .keyword(.var),
            variable.bindings.count == 1,
            let binding = variable.bindings.first, let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else { return nil }
        guard let type = binding.typeAnnotation?.type.trimmedDescription ?? Self.literalType(binding.initializer?.value)
        else { return nil }
        let relationship = Self.attribute("Relationship", of: variable)
        let marker = relationship ?? Self.attribute("Attribute", of: variable)
        var arguments: [LabeledExprSyntax] = []
        if case .argumentList(let list)? = marker?.arguments { arguments = Array(list) }
        code = pattern.identifier.text
        name = code.trimmingBackticks
        self.type = type
        initializer = binding.initializer?.value.trimmed
        self.arguments = arguments
        let written = binding.typeAnnotation?.type
        if let array = written?.as(ArrayTypeSyntax.self) {
            elementType = array.element.trimmedDescription
            kind = relationship == nil ? .attribute : .relationship(.many)
        } else if let optional = written?.as(OptionalTypeSyntax.self) {
            elementType = optional.wrappedType.trimmedDescription
            kind = relationship == nil ? .attribute : .relationship(.optionalOne)
        } else {
            elementType = type
            kind = relationship == nil ? .attribute : .relationship(.requiredOne)
        }
    }

    /// Returns whether a variable is a stored property that becomes an attribute or a relationship.
    static func isStored(_ variable: VariableDeclSyntax) -> Bool {
        for modifier in variable.modifiers {
            if ["static", "class", "lazy"].contains(modifier.name.text) { return false }
        }
        for binding in variable.bindings {
            guard let accessors = binding.accessorBlock?.accessors else { continue }
            guard case .accessors(let list) = accessors else { return false }
            if list.contains(where: { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }) { return false }
        }
        return !isTransient(variable)
    }

    /// Returns whether a variable is marked with `@Attribute(.transient)`.
    static func isTransient(_ variable: VariableDeclSyntax) -> Bool {
        guard case .argumentList(let list)? = attribute("Attribute", of: variable)?.arguments else { return false }
        return list.contains {
            $0.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "transient"
        }
    }

    static func attribute(_ name: String, of variable: VariableDeclSyntax) -> AttributeSyntax? {
        for case .attribute(let attribute) in variable.attributes {
            let written = attribute.attributeName.trimmedDescription
            if written == name || written == "LarderObjects." + name { return attribute }
        }
        return nil
    }

    private static func literalType(_ value: ExprSyntax?) -> String? {
        guard let value else { return nil }
        if value.is(StringLiteralExprSyntax.self) { return "String" }
        if value.is(IntegerLiteralExprSyntax.self) { return "Int" }
        if value.is(FloatLiteralExprSyntax.self) { return "Double" }
        if value.is(BooleanLiteralExprSyntax.self) { return "Bool" }
        return nil
    }
}

extension String {
    /// Whether the string can be part of an identifier without backticks.
    var isPlainIdentifier: Bool { allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } }

    /// The string with its quotation marks escaped, for a string literal.
    var literal: String { reduce(into: "") { $0 += $1 == "\"" ? "\\\"" : String($1) } }

    var trimmingBackticks: String { hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self }
}
#endif
