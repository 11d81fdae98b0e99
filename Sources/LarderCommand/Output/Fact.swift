#if Command
/// A named property of a store, which is printed as a row of a table or as a member of a JSON object.
struct Fact: Sendable {
    let name: String
    let json: String
    /// The property in JSON format.
    let value: String
    /// The cells of the table's rows, one row for each.
    let cells: [String]

    private init(_ name: String, _ json: String, value: String, cells: [String]) {
        self.name = name
        self.json = json
        self.value = value
        self.cells = cells
    }

    init(_ name: String, _ json: String, _ number: some BinaryInteger) {
        self.init(name, json, value: "\(number)", cells: ["\(number)"])
    }

    init(_ name: String, _ json: String, _ isSo: Bool) {
        self.init(name, json, value: JSONWriter.bool(isSo), cells: [isSo ? "yes" : "no"])
    }

    init(_ name: String, _ json: String, _ text: String) {
        self.init(name, json, value: JSONWriter.string(text), cells: [text])
    }

    /// Creates a property that may be unknown, which is `null` in JSON.
    init(_ name: String, _ json: String, _ number: (some BinaryInteger)?, or unknown: String) {
        self.init(name, json, value: number.map { "\($0)" } ?? "null", cells: [number.map { "\($0)" } ?? unknown])
    }

    /// Creates a property that may be unknown, which is `null` in JSON.
    init(_ name: String, _ json: String, _ text: String?, or unknown: String) {
        self.init(name, json, value: JSONWriter.optional(text), cells: [text ?? unknown])
    }

    /// Creates a property that may be unknown, which is `null` in JSON.
    init(_ name: String, _ json: String, _ isSo: Bool?, or unknown: String) {
        let text = isSo.map { $0 ? "yes" : "no" }
        self.init(name, json, value: isSo.map(JSONWriter.bool) ?? "null", cells: [text ?? unknown])
    }

    /// Creates a list, whose elements are separate rows of a table.
    init(_ name: String, _ json: String, list: [String]) {
        self.init(name, json, value: JSONWriter.strings(list), cells: list)
    }

    /// Creates a list whose elements have another form in JSON than in a table.
    init(_ name: String, _ json: String, list: [String], objects: [String]) {
        self.init(name, json, value: JSONWriter.list(objects), cells: list)
    }
}

extension Console {
    /// Prints properties as a table or as a JSON object.
    func print(_ facts: [Fact], _ format: OutputFormat) throws {
        guard format == .table else { return try print(JSONWriter.object(facts.map { ($0.json, $0.value) })) }
        var table = Table("FACT", "VALUE")
        for fact in facts { for cell in fact.cells { table.add(fact.name, cell.inOneLine) } }
        for line in table.lines() { try print(line) }
    }
}
#endif
