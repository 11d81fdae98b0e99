#if Objects
    import SwiftCompilerPlugin
    import SwiftSyntaxMacros

    @main struct LarderObjectsPlugin: CompilerPlugin {
        let providingMacros: [any Macro.Type] = []
    }
#else
    @main struct WithoutObjects { static func main() {} }
#endif
