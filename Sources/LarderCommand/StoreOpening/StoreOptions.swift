#if Command
import ArgumentParser
import LarderCore

/// Which store a command works on.
struct StoreOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The store's file. Without it, the device storage.", valueName: "path"))
    var store: ArgumentText?

    @Option(help: "What kind of store the file is, where its content and name don't say it.")
    var kind: StoreKind?

    func validate() throws {
        if kind != nil, store == nil { throw ValidationError("--kind says what the file of --store is: add --store.") }
    }

    var opener: StoreOpener { StoreOpener(path: store?.text, kind: kind) }
}
#endif
