#if Objects
internal import Foundation
package import LarderCore

extension ObjectDatabase {
    /// The number of rows between progress reports.
    private static let reported = 1_000
    /// The time between progress reports while SQLite checks the file.
    private static let longestSilence = Duration.milliseconds(50)

    /// Runs SQLite's integrity check, then checks every reference and the record of saves.
    ///
    /// - Returns: A description of each problem found.
    package func verify() throws -> [String] {
        try verify(deep: false).problems.map { problem in
            (problem.key.map { $0 + ": " } ?? "") + problem.message
        }
    }

    /// Runs SQLite's integrity check, then checks every reference and the record of saves.
    ///
    /// - Parameters:
    ///   - deep: Whether to also read every object, check its values against the stored model, parse JSON, and check the positions in
    ///     ordered relationships.
    ///   - progress: A closure that receives the number of objects that were read, if `deep` is `true`.
    /// - Returns: The number of objects and the first 1,000 problems.
    /// - Throws: ``ObjectError`` if the file can't be read at all, or the error that `progress` throws.
    package func verify(
        deep: Bool,
        progress: (StoreProgress) throws -> Void = { _ in }
    ) throws -> StoreVerification {
        var findings = VerificationFindings()
        let total = entities.reduce(0) { $0 + $1.count }
        do {
            try reading { statements in
                // SQLite does not tell how far a check is, but the caller can end it.
                var last = ContinuousClock.now
                func report() throws {
                    guard ContinuousClock.now - last > Self.longestSilence else { return }
                    last = .now
                    try progress(StoreProgress(completed: 0, total: total))
                }
                try statements.checking(report) { try checkFile(statements, &findings) }
                try SharingCheck(statements).run(&findings)
                guard deep else {
                    findings.rows = total
                    return
                }
                for entity in description.entities {
                    try verify(entity, statements, &findings) {
                        try progress(StoreProgress(completed: $0, total: total))
                    }
                }
                try PositionCheck(description, statements).run(&findings)
                try progress(StoreProgress(completed: total, total: total))
            }
        } catch let error as ObjectError where error.code == .damaged {
            findings.add("The rest of the database can't be read because it is corrupt. Restore a backup.")
        }
        return findings.result
    }

    /// Runs SQLite's integrity check, and checks every reference.
    private func checkFile(_ statements: StatementCache, _ findings: inout VerificationFindings) throws {
        let check = try statements.statement("PRAGMA integrity_check")
        while try check.step() {
            guard case .text(let line) = check.value(at: 0), line != "ok" else { continue }
            findings.add("The database is corrupt (\(line)). Restore a backup.")
        }
        let dangling = try statements.statement("PRAGMA foreign_key_check")
        while try dangling.step() {
            guard case .text(let table) = dangling.value(at: 0) else { continue }
            findings.add(
                "The reference points to a missing object. Set it to an existing object.",
                key: "\(table)/\(dangling.integer(at: 1))"
            )
        }
    }

    /// Checks every object of an entity against the stored model.
    private func verify(
        _ entity: SchemaDescription.Entity,
        _ statements: StatementCache,
        _ findings: inout VerificationFindings,
        _ progress: (Int) throws -> Void
    ) throws {
        let columns = ([ResolvedEntity.quotedKeyColumn] + entity.columns.map(\.name.quotedIdentifier))
        let rows = try statements.statement(
            "SELECT \(columns.joined(separator: ", ")) FROM \(entity.name.quotedIdentifier)"
        )
        let cases = entity.columns.map { $0.values.map(Set.init) }
        let sources = entity.columns.map { column in
            entity.columns.firstIndex { $0.name + ".folded" == column.name && column.format == "folded" }
        }
        while try rows.step() {
            findings.rows += 1
            if findings.rows % Self.reported == 0 { try progress(findings.rows) }
            for (index, column) in entity.columns.enumerated() {
                let value = rows.value(at: index + 1)
                let isWrong =
                    if let source = sources[index] { value != rows.value(at: source + 1).searchFolded } else {
                        !Self.fits(value, column, cases[index])
                    }
                guard isWrong || value.isNull && column.isRequired else { continue }
                findings.add(
                    Self.problem(value, column),
                    key: "\(entity.name)/\(rows.integer(at: 0)).\(column.name)"
                )
            }
        }
    }

    private static func fits(_ value: ColumnValue, _ column: SchemaDescription.Column, _ cases: Set<String>?) -> Bool {
        switch (value, column.format) {
        case (.null, _), (.integer, "reference"), (.integer, "position"), (.text, "folded"): true
        case (.text(let text), "json"): isJSON(text)
        default:
            NeutralValue(value, format: column.format) != nil && cases.map { value.isCase(of: $0) } ?? true
        }
    }

    private static func isJSON(_ text: String) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
    }

    private static func problem(_ value: ColumnValue, _ column: SchemaDescription.Column) -> String {
        if column.format == "folded" {
            return "The case-folded search column does not match its attribute. Set the attribute again."
        }
        if case .text = value, column.format == "json" {
            return
                "The value is not JSON, so it can't be decoded as \(column.valueType ?? "its type"). Set another value."
        }
        return value.isNull
            ? "The required property has no value. Set a value."
            : "The stored value can't be converted to \(column.valueType ?? column.format). Set another value."
    }
}

extension ColumnValue {
    /// Returns whether the value is the stored form of an enumeration case.
    ///
    /// - Parameter cases: The stored forms of all cases, with integers as digits.
    /// - Returns: `true` if one of the cases has this stored form.
    func isCase(of cases: Set<String>) -> Bool {
        switch self {
        case .integer(let integer): cases.contains(String(integer))
        case .text(let text): cases.contains(text)
        case .real(let real): cases.contains("\(real)")
        case .null, .blob: true
        }
    }
}
#endif
