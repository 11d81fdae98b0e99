#if Objects
internal import Foundation
internal import GRDB
public import LarderCore

extension SQLiteStorageManager {
    /// Reads everything: SQLite's own check of the file, that no reference leads nowhere, and that every value is one of its
    /// property's type.
    ///
    /// Damage that SQLite finds makes the manager read only; a value that its property's type does not read, or a reference that leads
    /// nowhere, does not, so that it can be replaced.
    ///
    /// - Returns: How many rows were read, and everything that is wrong.
    /// - Throws: ``ObjectError`` when the database can't be read at all.
    /// - Complexity: Reads the whole file.
    public func verify() throws -> StoreVerification {
        var result = StoreVerification(checkedEntries: 0)
        do {
            // Values are decoded by the caller's code.
            try valueReaders.read { database in
                let statements = StatementCache(database)
                let lines = try statements.rows("PRAGMA integrity_check") { $0.value(at: 0) }
                for case .text(let line) in lines where line != "ok" {
                    result.problems.append(.init("SQLite finds the file damaged: \(line)."))
                    health.noteDamage(line)
                }
                let dangling = try statements.rows("PRAGMA foreign_key_check") { ($0.value(at: 0), $0.integer(at: 1)) }
                for case (.text(let table), let row) in dangling {
                    let place = "\(table)/\(row)"
                    result.problems.append(.init("A reference leads to an object that is not there.", key: place))
                }
                for entity in model.entities { try verify(entity, statements, &result) }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            let reason = ErrorCause.text(error)
            result.problems.append(.init("SQLite finds the file damaged, and could read no further: \(reason)."))
            health.noteDamage(reason)
        } catch {
            throw health.noting(error)
        }
        return result
    }

    private func verify(
        _ entity: ResolvedEntity,
        _ statements: StatementCache,
        _ result: inout StoreVerification
    ) throws {
        let sql = "SELECT \(ObjectContext.selection(entity, alias: "t")) FROM \(entity.table) AS t"
        let problems = try statements.rows(sql) { row in
            entity.columns.enumerated().compactMap { index, column -> StoreVerification.Problem? in
                let value = row.value(at: index + 1)
                let label = "\(entity.objectID(row.integer(at: 0))).\(column.name)"
                if case .folded(let place) = column.role {
                    return value == row.value(at: place + 1).searchFolded
                        ? nil : .init("The text to search in is not that of the property.", key: label)
                }
                if value.isNull {
                    return column.isRequired
                        ? .init("There is no value, and the property is not optional.", key: label) : nil
                }
                guard case .attribute(let place) = column.role, !entity.description.attributes[place].canDecode(value)
                else {
                    return nil
                }
                return .init("The value is none of the property's type.", key: label)
            }
        }
        result.checkedEntries += problems.count
        result.problems += problems.joined()
    }
}
#endif
