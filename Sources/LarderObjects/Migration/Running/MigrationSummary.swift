#if Objects
internal import Foundation

/// A summary of one migration step, as recorded in the history of the database.
struct MigrationSummary: Codable, Hashable, Sendable {
    struct Loss: Codable, Hashable, Sendable {
        let kind: MigrationLoss.Kind
        let entity: String
        let property: String?
        let count: Int
    }

    /// Short descriptions of the step's actions, such as `drop Order.fax`.
    var actions: [String] = []
    /// The data that the migration step lost.
    var losses: [Loss] = []
    /// The file name of the backup that was made before the step, or `nil` if no backup was made.
    var backup: String?

    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension PathStep {
    /// Short descriptions of the actions of the step and its custom stage.
    var actions: [String] {
        inferred.actions + (stage.map { ["run the stage from \($0.from) to \($0.to)"] } ?? [])
    }
}

extension InferredStep {
    /// Short descriptions of the step's actions, such as `drop Order.fax`.
    var actions: [String] {
        var actions: [String] = []
        for step in entities {
            let name = step.new.name
            guard let old = step.old else {
                actions.append("create \(name)")
                continue
            }
            if old.name != name { actions.append("rename \(old.name) to \(name)") }
            for (column, source) in zip(step.new.columns, step.sources) where column.format != "folded" {
                switch source {
                case .column(let former):
                    if former != column.name { actions.append("rename \(name).\(former) to \(column.name)") }
                case .converted(let former, let slot):
                    let conversion = slots[slot].conversion
                    actions.append(
                        "convert \(name).\(former) from \(conversion.from) to \(conversion.to)"
                            + (former == column.name ? "" : " as \(column.name)")
                    )
                case .constant, .perRow, .null: actions.append("add \(name).\(column.name)")
                case .folded: continue
                }
            }
            for column in step.dropped where old.column(column)?.format != "folded" && !isConverted(column, step) {
                actions.append("drop \(name).\(column)")
            }
            let (before, after) = (Set(old.indexNames), Set(step.new.indexNames))
            if old.name == name {
                actions += before.subtracting(after).sorted().map { "drop index \($0)" }
                actions += after.subtracting(before).sorted().map { "create index \($0)" }
            }
        }
        actions += newJoins.map { "create \($0)" }
        actions += joins.filter { $0.old != $0.new }.map { "rename \($0.old) to \($0.new)" }
        actions += droppedJoins.map { "drop \($0)" }
        actions += droppedEntities.map { "drop \($0.name)" }
        return actions
    }

    private func isConverted(_ column: String, _ step: EntityStep) -> Bool {
        step.sources.contains { if case .converted(column, _) = $0 { true } else { false } }
    }
}
#endif
