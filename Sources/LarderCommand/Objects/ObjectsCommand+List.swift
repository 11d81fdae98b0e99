#if Command && Objects
import LarderObjects

extension ObjectsCommand {
    func list(_ database: ObjectDatabase, _ console: Console) throws {
        try print(
            ["ENTITY", "OBJECTS", "ATTRIBUTES", "RELATIONSHIPS"],
            database.entities.map { [$0.name, "\($0.count)", "\($0.attributes.count)", "\($0.relationships.count)"] },
            console
        )
    }
}
#endif
