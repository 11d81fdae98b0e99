#if Objects
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A namespace for functions that diagnose errors in the declaration of a single entity class.
enum EntityChecks {
    static func check(_ entity: ClassDeclSyntax, in context: some MacroExpansionContext) {
        if !entity.modifiers.contains(where: { $0.name.text == "final" }) {
            var fixed = entity
            fixed.classKeyword.leadingTrivia = []
            fixed.modifiers.append(
                DeclModifierSyntax(
                    name: .keyword(
                        .final,
                        leadingTrivia: entity.modifiers.isEmpty ? entity.classKeyword.leadingTrivia : [],
                        trailingTrivia: .space
                    )
                )
            )
            context.diagnose(
                Diagnostic(
                    node: entity.classKeyword,
                    message: EntityDiagnostic.notFinal,
                    fixIts: [fix("Add 'final'", entity, fixed)]
                )
            )
        }
        if let parameters = entity.genericParameterClause {
            context.diagnose(Diagnostic(node: parameters, message: EntityDiagnostic.generic))
        }
        for member in entity.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
            if EntityProperty.isTransient(variable) {
                checkTransient(variable, in: context)
            } else if EntityProperty.isStored(variable) {
                check(variable, in: context)
            }
        }
    }

    /// Returns the superclass of a class if the superclass is an entity, otherwise `nil`.
    ///
    /// `protocols` contains the conformances that the class lacks before the macro is expanded. A subclass of an entity inherits these
    /// conformances.
    static func entitySuperclass(of entity: ClassDeclSyntax, missing protocols: [TypeSyntax]) -> InheritedTypeSyntax? {
        func isObject(_ type: TypeSyntax) -> Bool {
            ["Object", "LarderObjects.Object"].contains(type.trimmedDescription)
        }
        guard let clause = entity.inheritanceClause, !protocols.contains(where: isObject),
            !clause.inheritedTypes.contains(where: { isObject($0.type) })
        else { return nil }
        return clause.inheritedTypes.first
    }

    private static func check(_ variable: VariableDeclSyntax, in context: some MacroExpansionContext) {
        func report(_ message: EntityDiagnostic, _ fixes: [FixIt] = [], at node: (any SyntaxProtocol)? = nil) {
            let node: any SyntaxProtocol = node ?? variable
            context.diagnose(Diagnostic(node: node, message: message, fixIts: fixes))
        }
        if variable.bindingSpecifier.tokenKind == .keyword(.let) {
            var fixed = variable
            fixed.bindingSpecifier.tokenKind = .keyword(.var)
            return report(.constant, [fix("Change 'let' to 'var'", variable, fixed)], at: variable.bindingSpecifier)
        }
        guard variable.bindings.count == 1, let binding = variable.bindings.first else { return report(.severalNames) }
        if binding.accessorBlock != nil { return report(.observed) }
        guard let property = EntityProperty(variable) else { return report(.noType) }
        let type = binding.typeAnnotation?.type
        if let type, isUnsupported(type) { return report(.unsupported(property.type), at: type) }
        switch property.kind {
        case .relationship:
            if property.elementType.hasSuffix("?") || property.elementType.hasPrefix("[")
                || property.type.hasPrefix("Set<")
            {
                report(.relationshipType, at: type)
            }
        case .attribute:
            if property.initializer != nil || property.isOptional { return }
            if EntityProperty.typesWithPlaceholder.contains(property.type.replacingFoundation) { return }
            var fixes: [FixIt] = []
            if let type {
                let optional = OptionalTypeSyntax(wrappedType: type.trimmed)
                fixes.append(
                    fix(
                        "Make the property optional",
                        type,
                        TypeSyntax(optional).with(\.trailingTrivia, type.trailingTrivia)
                    )
                )
            }
            report(.noDefault(property.type), fixes, at: type)
        }
    }

    /// Diagnoses a transient property that has other options or lacks a default value.
    private static func checkTransient(_ variable: VariableDeclSyntax, in context: some MacroExpansionContext) {
        if let marker = EntityProperty.attribute("Attribute", of: variable),
            case .argumentList(let list)? = marker.arguments, list.count > 1
        {
            context.diagnose(Diagnostic(node: marker, message: EntityDiagnostic.transientOptions))
        }
        if let marker = EntityProperty.attribute("Relationship", of: variable) {
            context.diagnose(Diagnostic(node: marker, message: EntityDiagnostic.transientOptions))
        }
        guard let binding = variable.bindings.first, binding.initializer == nil, binding.accessorBlock == nil else {
            return
        }
        let isOptional = binding.typeAnnotation?.type.is(OptionalTypeSyntax.self) ?? false
        if isOptional, variable.bindingSpecifier.tokenKind == .keyword(.var) { return }
        context.diagnose(Diagnostic(node: variable, message: EntityDiagnostic.transientDefault))
    }

    private static func isUnsupported(_ type: TypeSyntax) -> Bool {
        if let optional = type.as(OptionalTypeSyntax.self) { return isUnsupported(optional.wrappedType) }
        if let array = type.as(ArrayTypeSyntax.self) { return isUnsupported(array.element) }
        if let tuple = type.as(TupleTypeSyntax.self) {
            return tuple.elements.count != 1 || tuple.elements.first.map { isUnsupported($0.type) } ?? true
        }
        return type.is(FunctionTypeSyntax.self) || type.is(SomeOrAnyTypeSyntax.self) || type.trimmedDescription == "Any"
            || type.trimmedDescription == "AnyObject"
    }

    private static func fix(_ message: String, _ old: some SyntaxProtocol, _ new: some SyntaxProtocol) -> FixIt {
        FixIt(message: EntityFix(message: message), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
}

extension String {
    fileprivate var replacingFoundation: String { hasPrefix("Foundation.") ? String(dropFirst(11)) : self }
}
#endif
