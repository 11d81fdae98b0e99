#if Command
import ArgumentParser
import LarderCore

/// Which store a command works on.
struct StoreOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The store's file. Without it, the device storage.", valueName: "path"))
    var store: ArgumentText?

    @Option(help: ArgumentHelp("The device storage of the program with this name.", valueName: "name"))
    var application: ArgumentText?

    @Option(help: "What kind of store the file is, where its content and name don't say it.")
    var kind: StoreKind?

    @OptionGroup var key: EncryptionOptions

    func validate() throws {
        if kind != nil, store == nil { throw ValidationError("--kind says what the file of --store is: add --store.") }
        if application != nil, store != nil {
            throw ValidationError("--application and --store name two stores: leave out one.")
        }
    }

    var opener: StoreOpener {
        StoreOpener(path: store?.text, application: application?.text, kind: kind, key: key.source)
    }
}

/// Where the key of an encrypted store is; never on the command line, which other users of the machine can see.
struct EncryptionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file with the key of an encrypted store.", valueName: "path"))
    var keyFile: ArgumentText?

    @Option(help: ArgumentHelp("An environment variable with the key of an encrypted store.", valueName: "name"))
    var keyVariable: ArgumentText?

    func validate() throws {
        if keyFile != nil, keyVariable != nil {
            throw ValidationError("--key-file and --key-variable name two keys: leave out one.")
        }
    }

    var source: EncryptionKeySource? {
        keyFile.map { .file($0.text) } ?? keyVariable.map { .variable($0.text) }
    }
}
#endif
