#if Command && Objects
import Foundation
import LarderCore
import LarderObjects

extension ObjectsCommand {
    /// Prints the migration from the database's model to the model in another file.
    func printDifference(_ database: ObjectDatabase, _ console: Console) throws {
        let (path, isJSON) = (try required("OTHER"), try isJSON())
        let other = try Self.model(of: path)
        let preview = try database.preview(to: other)
        if isJSON {
            try console.print(json(preview, path))
        } else {
            try print(preview, console)
        }
        guard preview.isRefused else { return }
        let problems = preview.refusals.count + preview.losses.count { !$0.isAllowed }
        throw CommandFailure.notFound(
            "\(file.debugDescription) can't be migrated to the model of \(path.debugDescription) because of \(counted(problems, "problem")). Resolve each problem with a declaration in the model or with a migration stage."
        )
    }

    /// Reads the model from a database file, or from a JSON file that contains a frozen model.
    private static func model(of path: String) throws -> FrozenModel {
        guard !path.hasSuffix(".json") else {
            try requireFile(path)
            return try FrozenModel(contentsOf: URL(fileURLWithPath: path))
        }
        let database = try open(path)
        defer { database.close() }
        return try database.frozen()
    }

    private func print(_ preview: MigrationPreview, _ console: Console) throws {
        guard !preview.isEmpty else { return try console.print("no difference") }
        for step in preview.steps {
            let rows = counted(step.rewrittenRows, "row")
            try console.print("version \(step.fromVersion) to \(step.toVersion), \(rows) rewritten")
            for action in step.actions { try console.print("  " + action) }
        }
        for loss in preview.losses {
            try console.print(loss.isAllowed ? "allowed: \(loss.summary)" : "refused: \(loss)")
        }
        for refusal in preview.refusals { try console.print("refused: \(refusal)") }
    }

    private func json(_ preview: MigrationPreview, _ path: String) -> String {
        let steps = preview.steps.map { step in
            JSONWriter.object([
                ("fromVersion", String(step.fromVersion)), ("toVersion", String(step.toVersion)),
                ("actions", JSONWriter.strings(step.actions)), ("rewrittenRows", String(step.rewrittenRows)),
            ])
        }
        let losses = preview.losses.map { loss in
            JSONWriter.object([
                ("kind", JSONWriter.string(loss.kind.rawValue)), ("entity", JSONWriter.string(loss.entity)),
                ("property", JSONWriter.optional(loss.property)), ("count", loss.count.map { String($0) } ?? "null"),
                ("objects", JSONWriter.strings(loss.objectIDs.map(\.description))),
                ("isAllowed", JSONWriter.bool(loss.isAllowed)), ("remedy", JSONWriter.string(loss.remedy)),
            ])
        }
        return JSONWriter.object([
            ("database", JSONWriter.string(file)), ("other", JSONWriter.string(path)),
            ("isRefused", JSONWriter.bool(preview.isRefused)), ("steps", JSONWriter.list(steps)),
            ("losses", JSONWriter.list(losses)), ("refusals", JSONWriter.strings(preview.refusals)),
            ("neededDiskSpace", String(preview.neededDiskSpace)),
        ])
    }
}
#endif
