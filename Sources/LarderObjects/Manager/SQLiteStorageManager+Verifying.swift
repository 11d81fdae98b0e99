#if Objects
internal import Foundation
internal import GRDB
public import LarderCore

extension SQLiteStorageManager {
    /// Checks the entire database.
    ///
    /// The method runs SQLite's integrity check, then checks every reference, the type of every value, the positions in ordered
    /// relationships, and the record of saves. A value that is stored as JSON is decoded.
    ///
    /// If SQLite finds corruption, the manager becomes read-only. Values of the wrong type and dangling references don't make the manager
    /// read-only, so you can replace them. ``salvage(from:to:model:progress:)`` copies everything that can be read from a corrupt database.
    ///
    /// - Returns: The number of rows that were read, and the first 1,000 problems. If there are more, the last entry gives their number.
    /// - Throws: ``ObjectError`` if the database can't be read at all.
    /// - Complexity: Reads the whole file, row by row.
    public func verify() throws -> StoreVerification {
        var findings = VerificationFindings()
        do {
            // Decoding runs the caller's code, which must not use one of the pool's connections.
            try valueReaders.read { database in
                let statements = StatementCache(database)
                let check = try statements.statement("PRAGMA integrity_check")
                while try check.step() {
                    guard case .text(let line) = check.value(at: 0), line != "ok" else { continue }
                    findings.add("The database is corrupt (\(line)). Restore a backup.")
                    health.noteDamage(line)
                }
                let dangling = try statements.statement("PRAGMA foreign_key_check")
                while try dangling.step() {
                    guard case .text(let table) = dangling.value(at: 0) else { continue }
                    findings.add(
                        "The reference points to a missing object. Set it to an existing object.",
                        key: "\(table)/\(dangling.integer(at: 1))"
                    )
                }
                for entity in model.entities { try verify(entity, statements, &findings) }
                try PositionCheck(SchemaDescription(model), statements).run(&findings)
                try SharingCheck(statements).run(&findings)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            let reason = ErrorCause.text(error)
            findings.add("The rest of the database can't be read because it is corrupt (\(reason)). Restore a backup.")
            health.noteDamage(reason)
        } catch {
            throw health.noting(error)
        }
        return findings.result
    }

    private func verify(
        _ entity: ResolvedEntity,
        _ statements: StatementCache,
        _ findings: inout VerificationFindings
    ) throws {
        let rows = try statements.statement(
            "SELECT \(ObjectContext.selection(entity, alias: "t")) FROM \(entity.table) AS t"
        )
        while try rows.step() {
            findings.rows += 1
            for (index, column) in entity.columns.enumerated() {
                guard let problem = Self.problem(of: rows.value(at: index + 1), column, entity, rows) else { continue }
                findings.add(problem, key: "\(entity.objectID(rows.integer(at: 0))).\(column.name)")
            }
        }
    }

    private static func problem(
        of value: ColumnValue,
        _ column: ResolvedColumn,
        _ entity: ResolvedEntity,
        _ row: PreparedStatement
    ) -> String? {
        if case .folded(let place) = column.role {
            return value == row.value(at: place + 1).searchFolded
                ? nil : "The case-folded search column does not match its attribute. Set the attribute again."
        }
        if value.isNull {
            return column.isRequired ? "The required property has no value. Set a value." : nil
        }
        guard case .attribute(let place) = column.role, !entity.description.attributes[place].canDecode(value) else {
            return nil
        }
        return "The stored value can't be converted to the type of the property. Set another value."
    }
}
#endif
