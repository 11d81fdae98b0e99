#if Objects
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main struct LarderObjectsPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        EntityMacro.self, MarkerMacro.self, AttributeAccessorMacro.self, RelationshipAccessorMacro.self,
        PersistableMacro.self,
    ]
}
#else
@main struct WithoutObjects { static func main() {} }
#endif
