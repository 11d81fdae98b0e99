#if Command && Objects
import LarderObjects

extension ObjectsCommand {
    func rows(_ database: ObjectDatabase, _ console: Console) throws {
        let name = try required("ENTITY")
        let (columns, rows) = try database.rows(of: try database.entity(name), where: condition, limit: limit)
        try print(columns, rows, console)
    }
}
#endif
