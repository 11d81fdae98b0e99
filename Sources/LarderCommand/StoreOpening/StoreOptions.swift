#if Command
import ArgumentParser
import LarderCore

/// The command-line options that select a store.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The path of the store's file, or an address such as postgresql://host/app#flags. By default, the command uses the device storage.",
            valueName: "path"
        )
    )
    var store: ArgumentText?

    @Option(help: ArgumentHelp("The name of the program whose device storage to use.", valueName: "name"))
    var application: ArgumentText?

    @Option(help: "The kind of store. It is required only if it can't be detected from the file's content or name.")
    var kind: StoreKind?

    @OptionGroup var key: EncryptionOptions

    func validate() throws {
        if kind != nil, store == nil {
            throw ValidationError("--kind requires a file. Add --store with the path of the store's file.")
        }
        if kind != nil, let store, ClusterAddress.isAddress(store.text) {
            throw ValidationError("--kind and an address can't be combined. Specify only one of them.")
        }
        if application != nil, store != nil {
            throw ValidationError("--application and --store can't be combined. Specify only one of them.")
        }
    }

    var opener: StoreOpener {
        StoreOpener(path: store?.text, application: application?.text, kind: kind, key: key.source)
    }
}

/// The command-line options that specify the source of the encryption key.
///
/// The key itself is never an argument, because other users can see a process's arguments.
struct EncryptionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file that contains the key of the encrypted store.", valueName: "path"))
    var keyFile: ArgumentText?

    @Option(
        help: ArgumentHelp("An environment variable that contains the key of the encrypted store.", valueName: "name")
    )
    var keyVariable: ArgumentText?

    func validate() throws {
        if keyFile != nil, keyVariable != nil {
            throw ValidationError("--key-file and --key-variable can't be combined. Specify only one of them.")
        }
    }

    var source: EncryptionKeySource? {
        keyFile.map { .file($0.text) } ?? keyVariable.map { .variable($0.text) }
    }
}
#endif
