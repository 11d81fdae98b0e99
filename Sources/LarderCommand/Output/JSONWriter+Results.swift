import LarderCore

// The output of maintenance commands with `--format json`, which Documentation/Command.md describes.
extension JSONWriter {
    static func strings(_ texts: [String]) -> String { list(texts.map(string)) }

    static func optional(_ text: String?) -> String { text.map(string) ?? "null" }

    static func bool(_ value: Bool) -> String { value ? "true" : "false" }

    static func problem(_ problem: StoreVerification.Problem) -> String {
        object([
            ("message", string(problem.message)), ("key", optional(problem.key)),
            ("offset", problem.offset.map { String($0) } ?? "null"),
        ])
    }

    static func refusal(_ refusal: StoreTransfer.Refusal) -> String {
        object([
            ("key", string(refusal.key)), ("type", string(refusal.kind.rawValue)), ("reason", string(refusal.reason)),
        ])
    }
}
