#if Objects
internal import Foundation

/// What a model asks of a database, as it is kept inside of it: enough to say what a later model adds or changes.
struct SchemaDescription: Codable, Hashable {
    struct Column: Codable, Hashable {
        var name: String
        /// What it holds, such as `date`, or `reference`, or `position`.
        var format: String
        var type: String
        var isRequired: Bool
        /// The entity that a reference leads to.
        var destination: String?
    }

    struct Relationship: Codable, Hashable {
        var name: String
        var destination: String
        var inverse: String
        var cardinality: String
        var isOrdered: Bool
        var joinTable: String?
        /// What happens to the other objects; of no consequence for the tables.
        var deleteRule: String?
    }

    struct Entity: Codable, Hashable {
        var name: String
        var columns: [Column]
        var relationships: [Relationship]
        var unique: [[String]]
        var indexes: [[String]]
    }

    var entities: [Entity]

    init(_ model: ResolvedModel) {
        entities = model.entities.map { entity in
            Entity(
                name: entity.name,
                columns: entity.columns.map { column in
                    let format: String
                    switch column.role {
                    case .attribute(let place): format = entity.description.attributes[place].format.name
                    case .reference: format = "reference"
                    case .position: format = "position"
                    case .folded: format = "folded"
                    }
                    return Column(
                        name: column.name,
                        format: format,
                        type: column.columnType,
                        isRequired: column.isRequired,
                        destination: column.destination.map { model.entities[$0].name }
                    )
                },
                relationships: entity.relationships.map { relationship in
                    var table: String?
                    if case .joinTable(let join, _) = relationship.storage { table = join.name }
                    return Relationship(
                        name: relationship.name,
                        destination: model.entities[relationship.destination].name,
                        inverse: model.inverse(of: relationship).name,
                        cardinality: relationship.cardinality.rawValue,
                        isOrdered: relationship.isOrdered,
                        joinTable: table,
                        deleteRule: relationship.deleteRule.rawValue
                    )
                },
                unique: Self.sorted(entity.uniqueConstraints.map { $0.map { entity.columns[$0].name } }),
                indexes: Self.sorted(entity.indexes.map { $0.map { entity.columns[$0].name } })
            )
        }
        entities.sort { $0.name < $1.name }
    }

    private static func sorted(_ groups: [[String]]) -> [[String]] {
        Set(groups).sorted { $0.joined(separator: "\0") < $1.joined(separator: "\0") }
    }

    /// The same description with the order of properties taken away, which no row depends on.
    private var canonical: SchemaDescription {
        var copy = self
        for index in copy.entities.indices {
            copy.entities[index].columns.sort { $0.name < $1.name }
            copy.entities[index].relationships.sort { $0.name < $1.name }
            for place in copy.entities[index].relationships.indices {
                copy.entities[index].relationships[place].deleteRule = nil
            }
        }
        return copy
    }

    /// Its JSON, with sorted keys.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    init(text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }

    /// Sixteen hexadecimal digits that two descriptions share only when they ask for the same database (FNV-1a, 64 bits).
    func fingerprint() throws -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        let canonical = canonical
        for byte in try canonical.writtenText() ?? Array(canonical.text().utf8) {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
#endif
