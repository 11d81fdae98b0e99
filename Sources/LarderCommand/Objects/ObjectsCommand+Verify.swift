#if Command && Objects
import LarderCore
import LarderObjects

extension ObjectsCommand {
    func verify(_ console: Console) throws {
        let isJSON = try isJSON()
        let database: ObjectDatabase
        do { database = try Self.open(file) } catch let error as ObjectError {
            if isJSON {
                let result = StoreVerification(checkedEntries: 0, problems: [.init(error.message)])
                try console.print(json(result, modelVersion: nil))
            }
            throw error
        }
        defer { database.close() }
        let result = try ProgressBar.during("verifying") { try database.verify(deep: deep, progress: $0) }
        if isJSON { try console.print(json(result, modelVersion: database.modelVersion)) }
        guard result.isIntact else {
            for problem in result.problems {
                console.complain((problem.key.map { $0 + ": " } ?? "") + problem.message)
            }
            throw CommandFailure.storage(
                "\(file.debugDescription) has \(counted(result.problems.count, "problem")). Restore the file from a backup, or rename it to start with an empty database."
            )
        }
        guard !isJSON else { return }
        let objects = counted(result.checkedEntries, "object")
        try console.print(
            "Checked \(objects) in \(file.debugDescription), model version \(database.modelVersion). No problems were found."
        )
        try console.print(ObjectDatabase.engine)
    }

    private func json(_ result: StoreVerification, modelVersion: Int?) -> String {
        JSONWriter.object([
            ("database", JSONWriter.string(file)), ("modelVersion", modelVersion.map { String($0) } ?? "null"),
            ("checkedObjects", String(result.checkedEntries)), ("isIntact", JSONWriter.bool(result.isIntact)),
            ("problems", JSONWriter.list(result.problems.map(JSONWriter.problem))),
        ])
    }
}
#endif
