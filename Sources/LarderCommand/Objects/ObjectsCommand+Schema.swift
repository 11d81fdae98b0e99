#if Command && Objects
import Foundation
import LarderObjects

extension ObjectsCommand {
    func schema(_ database: ObjectDatabase, _ console: Console) throws {
        if let diff {
            let other = try Self.open(diff)
            defer { other.close() }
            let difference = try database.difference(to: other)
            for statement in difference.statements { try console.print(statement + ";") }
            for refusal in difference.refusals { try console.print("-- refused: " + refusal) }
            if difference.isEmpty { try console.print("-- no difference") }
            return
        }
        switch format ?? .sql {
        case .sql: for statement in try database.schema() { try console.print(statement) }
        case .svg: try console.write(Data(database.svg().utf8))
        case .mermaid: try console.write(Data(database.mermaid().utf8))
        case let other:
            throw CommandFailure.usage(
                "The schema can't be printed as \(other.rawValue). Use --format sql, svg or mermaid."
            )
        }
    }
}
#endif
