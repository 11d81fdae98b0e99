#if Command && Objects
import LarderObjects

extension ObjectsCommand {
    func backup(_ database: ObjectDatabase, _ console: Console) throws {
        let (target, isJSON) = (try required("TO"), try isJSON())
        try Self.requireNoFile(target)
        try ProgressBar.during("backing up") { try database.backup(to: target, progress: $0) }
        let count = database.entities.reduce(0) { $0 + $1.count }
        guard !isJSON else {
            return try console.print(
                JSONWriter.object([
                    ("database", JSONWriter.string(file)), ("backup", JSONWriter.string(target)),
                    ("modelVersion", String(database.modelVersion)), ("objects", String(count)),
                ])
            )
        }
        try console.print("Copied \(file.debugDescription) to \(target.debugDescription).")
    }
}
#endif
