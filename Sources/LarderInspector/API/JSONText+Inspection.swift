#if Inspector
import LarderCore

// The answers of the API, as openapi.json describes them.
extension JSONText {
    mutating func fact(_ fact: InspectionFact) {
        object { json in
            json.member("name", fact.name)
            json.member("value", fact.value)
        }
    }

    mutating func table(_ table: InspectionTable) {
        object { json in
            json.member("name", table.name)
            json.member("count", table.count)
            json.member("bytes", table.bytes)
            json.name("columns")
            json.array(table.columns) { $0.column($1) }
            json.name("relationships")
            json.array(table.relationships) { $0.relationship($1) }
            json.name("indexes")
            json.array(table.indexes) { $0.index($1) }
        }
    }

    mutating func column(_ column: InspectionColumn) {
        object { json in
            json.member("name", column.name)
            json.member("type", column.type)
            json.member("isSortable", column.isSortable)
        }
    }

    private mutating func relationship(_ relationship: InspectionRelationship) {
        object { json in
            json.member("name", relationship.name)
            json.member("destination", relationship.destination)
            json.member("isToMany", relationship.isToMany)
            json.member("isOrdered", relationship.isOrdered)
            json.member("inverse", relationship.inverse)
            json.member("deletionRule", relationship.deletionRule)
        }
    }

    private mutating func index(_ index: InspectionIndex) {
        object { json in
            json.member("name", index.name)
            json.member("columns", index.columns)
            json.member("isUnique", index.isUnique)
            json.member("bytes", index.bytes)
        }
    }

    mutating func action(_ action: InspectionAction) {
        object { json in
            json.member("name", action.name)
            json.member("explanation", action.explanation)
            json.member("fileName", action.fileName)
            json.member("isWriting", action.isWriting)
        }
    }

    mutating func statistics(_ statistics: [InspectionStatistic]) {
        array(statistics) { json, statistic in
            json.object { json in
                json.member("name", statistic.name)
                json.name("number")
                json.number(statistic.number)
                json.member("kind", statistic.kind.rawValue)
                json.member("unit", statistic.unit.rawValue)
            }
        }
    }

    mutating func report(_ report: InspectionReport) {
        object { json in
            json.member("title", report.title)
            json.member("note", report.note)
            json.name("columns")
            json.array(report.columns) { $0.column($1) }
            json.name("rows")
            json.array(report.rows) { json, row in
                json.array(row.enumerated()) { json, cell in
                    let isSecret =
                        report.columns.indices.contains(cell.offset)
                        && SecretName.isSecret(report.columns[cell.offset].name)
                    json.value(cell.element, .cell, isSecret: isSecret)
                }
            }
        }
    }

    mutating func plan(_ plan: InspectionPlan) {
        object { json in
            json.member("statement", plan.statement)
            json.member("steps", plan.steps)
            json.member("advice", plan.advice)
        }
    }

    mutating func record(
        _ record: InspectionRecord,
        _ columns: RecordColumns,
        _ form: ValueForm,
        _ choice: ColumnChoice? = nil
    ) {
        object { json in
            json.member("key", record.key)
            json.name("values")
            json.array(choice?.indexes(of: record) ?? Array(record.values.indices)) { json, index in
                json.value(
                    record.values[index],
                    columns.form(form, of: index),
                    isSecret: columns.isSecret(index, of: record),
                    size: record.sizes[index]
                )
            }
            json.name("related")
            json.object { json in
                for (name, key) in record.related.sorted(by: { $0.key < $1.key }) where choice?.contains(name) ?? true {
                    json.member(name, key)
                }
            }
            json.name("counts")
            json.object { json in
                for (name, count) in record.counts.sorted(by: { $0.key < $1.key })
                where choice?.contains(name) ?? true {
                    json.member(name, count)
                }
            }
            json.name("expiry")
            if let expiry = record.expiry { json.number(expiry) } else { json.null() }
            json.member("problem", record.problem)
        }
    }
}

/// The columns of a table, which decide which values of its records are masked.
struct RecordColumns: Sendable {
    let names: [String]
    private let secrets: [Bool]
    private let isOfObjects: Bool
    private let keyPrefix: String
    /// The names of the columns whose values are not masked.
    private let revealed: Set<String>

    /// Creates the columns of a table.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - role: The role of its instance.
    ///   - revealed: The names of the columns whose values are not masked.
    init(_ table: InspectionTable, _ role: InspectionRole, revealing revealed: Set<String> = []) {
        names = table.columns.map(\.name)
        secrets = names.map(SecretName.isSecret)
        isOfObjects = role == .objects
        keyPrefix = table.keyPrefix
        self.revealed = revealed
    }

    /// The name of the column that a file needs before the others for the identity of each record, or `nil` if a column has it.
    var identity: String? {
        // An attribute of an object may have any name.
        isOfObjects ? "objectID" : names.contains("key") ? nil : "key"
    }

    /// Returns a form for the values of a column, which reveals them if the column is revealed.
    func form(_ form: ValueForm, of index: Int) -> ValueForm {
        var form = form
        form.reveals = form.reveals || (names.indices.contains(index) && revealed.contains(names[index]))
        return form
    }

    /// Returns whether a value of a record is masked because of its column or, unless the key is the identity of an object, its key.
    func isSecret(_ index: Int, of record: InspectionRecord) -> Bool {
        if secrets.indices.contains(index), secrets[index] { return true }
        guard !isOfObjects, SecretName.isSecret(keyPrefix + record.key) else { return false }
        // A column that repeats the key hides nothing, and neither does one that describes the value.
        let describes = names.indices.contains(index) && Self.describing.contains(names[index])
        return !describes && record.values[index] != .string(record.key)
    }

    private static let describing: Set<String> = ["key", "name", "type", "kind", "size", "expiry", "expires"]
}
#endif
