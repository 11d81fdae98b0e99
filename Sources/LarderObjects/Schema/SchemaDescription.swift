#if Objects
internal import Foundation

/// A serializable description of a model's schema, as stored in the database.
///
/// A migration compares this description with the schema of a later model.
struct SchemaDescription: Codable, Hashable, Sendable {
    struct Column: Codable, Hashable, Sendable {
        var name: String
        /// The format of the column, such as `date`, `reference` or `position`.
        var format: String
        var type: String
        var isRequired: Bool
        /// The entity to which a reference column refers, or `nil` for other columns.
        var destination: String?
        /// The attribute's names in earlier versions, oldest first, or `nil` if the attribute was not renamed.
        var was: [String]?
        /// The name of the attribute's Swift type, or `nil` if the format determines the type.
        ///
        /// The schema's fingerprint does not include the type.
        var valueType: String?
        /// The stored values of an enumeration's cases as strings, or `nil` for other types.
        ///
        /// The schema's fingerprint does not include the cases.
        var values: [String]?
    }

    struct Relationship: Codable, Hashable, Sendable {
        var name: String
        var destination: String
        var inverse: String
        var cardinality: String
        var isOrdered: Bool
        var joinTable: String?
        /// The name of the delete rule, which does not affect the tables.
        var deleteRule: String?
        /// The relationship's names in earlier versions, oldest first, or `nil` if the relationship was not renamed.
        var was: [String]?
    }

    struct Entity: Codable, Hashable, Sendable {
        var name: String
        var columns: [Column]
        var relationships: [Relationship]
        var unique: [[String]]
        var indexes: [[String]]
        /// The entity's names in earlier versions, oldest first, or `nil` if the entity was not renamed.
        var was: [String]?
    }

    var entities: [Entity]

    init(entities: [Entity]) { self.entities = entities }

    /// Creates the description of a model's schema.
    ///
    /// - Parameters:
    ///   - model: The model to describe.
    ///   - withTypes: Whether to include the Swift types and the cases of enumerations, which only a migration reads.
    init(_ model: ResolvedModel, withTypes: Bool = false) {
        entities = model.entities.map { entity in
            Entity(
                name: entity.name,
                columns: entity.columns.map { column in
                    let format: String
                    var attribute: AttributeDescription?
                    switch column.role {
                    case .attribute(let place):
                        attribute = entity.description.attributes[place]
                        format = entity.description.attributes[place].format.name
                    case .reference: format = "reference"
                    case .position: format = "position"
                    case .folded: format = "folded"
                    }
                    return Column(
                        name: column.name,
                        format: format,
                        type: column.columnType,
                        isRequired: column.isRequired,
                        destination: column.destination.map { model.entities[$0].name },
                        was: Self.names(attribute?.formerNames),
                        valueType: withTypes ? attribute?.storedTypeName : nil,
                        values: withTypes ? attribute?.storedCases : nil
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
                        deleteRule: relationship.deleteRule.rawValue,
                        was: Self.names(entity.description.relationships[relationship.index].formerNames)
                    )
                },
                unique: Self.sorted(entity.uniqueConstraints.map { $0.map { entity.columns[$0].name } }),
                indexes: Self.sorted(entity.indexes.map { $0.map { entity.columns[$0].name } }),
                was: Self.names(entity.description.formerNames)
            )
        }
        entities.sort { $0.name < $1.name }
    }

    private static func names(_ names: [String]?) -> [String]? {
        guard let names, !names.isEmpty else { return nil }
        return names
    }

    private static func sorted(_ groups: [[String]]) -> [[String]] {
        Set(groups).sorted { $0.joined(separator: "\0") < $1.joined(separator: "\0") }
    }

    /// A copy of the description without details that affect neither tables nor renames.
    ///
    /// The omitted details are the order of properties, the delete rules and the Swift types.
    var canonical: SchemaDescription {
        var copy = self
        for index in copy.entities.indices {
            copy.entities[index].columns.sort { $0.name < $1.name }
            copy.entities[index].relationships.sort { $0.name < $1.name }
            for place in copy.entities[index].columns.indices {
                copy.entities[index].columns[place].valueType = nil
                copy.entities[index].columns[place].values = nil
            }
            for place in copy.entities[index].relationships.indices {
                copy.entities[index].relationships[place].deleteRule = nil
            }
        }
        return copy
    }

    /// Returns the schema description as JSON with sorted keys.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    init(text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }

    /// Returns a hash of the schema as 16 hexadecimal digits (FNV-1a, 64 bits).
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
