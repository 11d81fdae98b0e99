#if Objects
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// Expands the macros in a piece of source code, and collects their diagnostics.
struct Expansion {
    let text: String
    let messages: [String]
    /// The source code after applying each fix-it, by the fix-it's message.
    let fixes: [String: String]

    init(_ source: String) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(sourceFiles: [
            file: .init(moduleName: "Test", fullFilePath: "Test.swift")
        ])
        let macros: [String: any Macro.Type] = [
            "Entity": EntityMacro.self, "Attribute": MarkerMacro.self, "Relationship": MarkerMacro.self,
            "EntityAttribute": AttributeAccessorMacro.self, "EntityRelationship": RelationshipAccessorMacro.self,
            "Persistable": PersistableMacro.self,
        ]
        text =
            file.expand(macros: macros) {
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
            }.description
        messages = context.diagnostics.map(\.message)
        var fixes: [String: String] = [:]
        for diagnostic in context.diagnostics {
            for fix in diagnostic.fixIts {
                for case .replace(let old, let new) in fix.changes {
                    fixes[fix.message.message] = source.replacing(old.trimmedDescription, with: new.trimmedDescription)
                }
            }
        }
        self.fixes = fixes
    }
}
#endif
