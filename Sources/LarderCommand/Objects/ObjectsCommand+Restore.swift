#if Command && Objects
import Foundation
import LarderObjects

extension ObjectsCommand {
    func restore(_ console: Console) throws {
        let (backup, isJSON) = (try required("FROM"), try isJSON())
        try Self.requireFile(backup)
        let moved = try ProgressBar.during("restoring") { progress in
            try SQLiteStorageManager.restore(
                from: URL(fileURLWithPath: backup),
                to: URL(fileURLWithPath: file),
                progress: progress
            )
        }
        guard !isJSON else {
            return try console.print(
                JSONWriter.object([
                    ("database", JSONWriter.string(file)), ("backup", JSONWriter.string(backup)),
                    ("movedTo", JSONWriter.optional(moved?.path)),
                ])
            )
        }
        try console.print("Restored \(file.debugDescription) from \(backup.debugDescription).")
        if let moved { try console.print("The previous database was moved to \(moved.path.debugDescription).") }
    }
}
#endif
