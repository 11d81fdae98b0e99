#if Command
import ArgumentParser
import LarderCore

/// The `--prefix` option, which adds a prefix and a dot to the beginning of each key.
struct KeyOptions: ParsableArguments {
    @Option(help: "A prefix to join to keys with a dot. With --prefix Double, the key pi refers to Double.pi.")
    var prefix: ArgumentText?

    /// The prefix followed by a dot, or an empty string if no prefix was given.
    var keyPrefix: String {
        guard let prefix = prefix?.text, !prefix.isEmpty else { return "" }
        return prefix + "."
    }

    func key(_ name: ArgumentText) -> StoreKey { StoreKey(name.text, prefix: keyPrefix) }
}

enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    case table
    case json
}

extension ValueType: ExpressibleByArgument {}
extension StoreKind: ExpressibleByArgument {}
#endif
