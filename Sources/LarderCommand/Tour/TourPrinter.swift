/// Prints the tour: titles, remarks, and each call beside what it returned.
struct TourPrinter {
    let console: Console
    /// Left out of what calls return, which is long enough without it.
    let folder: String

    /// What the tour ends with when all of it held.
    static let lastLine = "That was the tour: every call did what is printed beside it."

    private static let callWidth = 60
    private static let outcomeWidth = 70

    func title(_ text: String) throws {
        try console.print("")
        try console.print(styled(text, "1"))
    }

    func remark(_ text: String) throws { try console.print("  " + styled(text, "2")) }

    /// Carries out a call and prints what it returned; a test compares the printed call with the one in the closure.
    func show<Value>(_ call: String, _ body: () throws -> Value) throws {
        let value = try body()
        try row(call, value is Void ? "done" : "→ \(Self.text(value))", style: "32")
    }

    /// Carries out a call that must throw, and prints what it threw.
    func showError<Value>(_ call: String, _ body: () throws -> Value) throws {
        let value: Value
        do {
            value = try body()
        } catch {
            return try row(call, "throws: \(error)", style: "33")
        }
        throw CommandFailure.storage("\(call) should have thrown and returned \(Self.text(value)).")
    }

    /// The outcome beside the call, or under it when the two are too long for a line.
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
