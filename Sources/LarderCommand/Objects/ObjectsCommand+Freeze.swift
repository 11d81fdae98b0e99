#if Command && Objects
import Foundation
import LarderObjects

extension ObjectsCommand {
    /// Writes the database's model as a JSON file to a folder.
    func freeze(_ database: ObjectDatabase, _ console: Console) throws {
        let (folder, isJSON) = (try required("FOLDER"), try isJSON())
        let frozen = try database.frozen()
        if try database.history().isEmpty {
            console.complain(
                "The model in \(file.debugDescription) lacks declarations and enumerations, because an earlier version of Larder created the file. Use `ObjectModel.freeze(in:)` if the classes have any."
            )
        }
        let url = try frozen.write(in: URL(fileURLWithPath: folder))
        guard !isJSON else {
            return try console.print(
                JSONWriter.object([
                    ("database", JSONWriter.string(file)), ("model", JSONWriter.string(url.path)),
                    ("version", String(frozen.version)), ("fingerprint", JSONWriter.string(frozen.fingerprint)),
                ])
            )
        }
        try console.print(
            "Wrote version \(frozen.version) of the model of \(file.debugDescription) to \(url.path.debugDescription)."
        )
    }
}
#endif
