#if Command && Objects
import Foundation
import LarderObjects

extension ObjectsCommand {
    /// Writes the model of the database as JSON.
    func freeze(_ database: ObjectDatabase, _ console: Console) throws {
        let (folder, isJSON) = (try required("FOLDER"), try isJSON())
        let frozen = try database.frozen()
        if try database.history().isEmpty {
            console.complain(
                "\(file.debugDescription) was created by an earlier Larder, so it contains neither declarations nor enumerations. Use `ObjectModel.freeze(in:)` if the classes have any."
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
