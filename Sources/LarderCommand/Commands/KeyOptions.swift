#if Command
import ArgumentParser
import LarderCore

/// The prefix that data sources put before their keys.
struct KeyOptions: ParsableArguments {
    @Option(help: "What stands before the key and a dot: with --prefix Double the key pi is Double.pi.")
    var prefix: ArgumentText?

    /// The prefix with its dot; empty when there is none.
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
