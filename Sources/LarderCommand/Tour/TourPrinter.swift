/// A printer for the tour's titles and remarks, and for each call with its result.
struct TourPrinter {
    let console: Console
    /// The path of the tour's folder, which is omitted from printed results.
    let folder: String

    /// The last line that a successful tour prints.
    static let lastLine = "The tour is complete. Every call returned the result that is printed next to the call."

    private static let callWidth = 60
    private static let outcomeWidth = 70

    func title(_ text: String) throws {
        try console.print("")
        try console.print(styled(text, "1"))
    }

    func remark(_ text: String) throws { try console.print("  " + styled(text, "2")) }

    /// Runs `body` and prints its result next to `call`.
    ///
    /// A test checks that `call` matches the code in the closure.
    func show<Value>(_ call: String, _ body: () throws -> Value) throws {
        let value = try body()
        try row(call, value is Void ? "done" : "→ \(Self.text(value))", style: "32")
    }

    /// Runs `body`, which must throw, and prints its error next to `call`.
    func showError<Value>(_ call: String, _ body: () throws -> Value) throws {
        let value: Value
        do {
            value = try body()
        } catch {
            return try row(call, "throws: \(error)", style: "33")
        }
        throw CommandFailure.storage(
            "\(call) should have thrown an error but returned \(Self.text(value)). Please report this."
        )
    }

    /// Prints the outcome next to the call, or on the next line if both don't fit on one line.
    private func row(_ call: String, _ outcome: String, style: String) throws {
        let outcome = outcome.replacing(folder + "/", with: "")
        if call.count <= Self.callWidth, outcome.count <= Self.outcomeWidth {
            let space = String(repeating: " ", count: Self.callWidth + 2 - call.count)
            try console.print("  " + call + space + styled(outcome, style))
        } else {
            try console.print("  " + call)
            try console.print("      " + styled(outcome, style))
        }
    }

    private func styled(_ text: String, _ style: String) -> String {
        console.isTerminal ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
    }

    private static func text(_ value: some Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return (value as? String)?.debugDescription ?? "\(value)" }
        return mirror.children.first.map { text($0.value) } ?? "nil"
    }
}
