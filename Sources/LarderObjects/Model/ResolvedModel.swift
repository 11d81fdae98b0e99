#if Objects
/// A model whose parts are known to fit together.
final class ResolvedModel: Sendable {
    let entities: [ResolvedEntity]
    let version: Int
    private let byType: [ObjectIdentifier: Int]
    private let byName: [String: Int]

    init(entities: [ResolvedEntity], version: Int) {
        self.entities = entities
        self.version = version
        byType = Dictionary(
            entities.map { (ObjectIdentifier($0.description.type), $0.index) },
            uniquingKeysWith: { first, _ in first }
        )
        byName = Dictionary(entities.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
    }

    func entity(of type: any Object.Type) throws -> ResolvedEntity {
        guard let index = byType[ObjectIdentifier(type)] else {
            throw ObjectError(
                .invalidModel,
                "The entity \(type.entityDescription.name) is not in the model: add its class to the ObjectModel."
            )
        }
        return entities[index]
    }

    func entity(named name: String) -> ResolvedEntity? { byName[name].map { entities[$0] } }

    /// The relationship back.
    func inverse(of relationship: ResolvedRelationship) -> ResolvedRelationship {
        entities[relationship.destination].relationships[relationship.inverse]
    }
}

/// One entity of a model, with its columns.
final class ResolvedEntity: Sendable {
    /// The name of the primary key of every table.
    static let keyColumn = "objectID"
    /// The same as SQL takes it.
    static let quotedKeyColumn = keyColumn.quotedIdentifier

    let index: Int
    let description: EntityDescription
    /// The class.
    let type: any Object.Type
    /// Attributes first, in their order, then references to one object, then positions in ordered relationships.
    let columns: [ResolvedColumn]
    let relationships: [ResolvedRelationship]
    /// Groups of columns whose values no two rows share.
    let uniqueConstraints: [[Int]]
    /// Groups of columns to index.
    let indexes: [[Int]]
    /// For the column of a searchable attribute, the column that holds its text without case and accents.
    let foldedColumns: [Int: Int]
    let hasFoldedColumns: Bool
    /// Columns that are never empty.
    let requiredColumns: [Int]
    /// Whether an object of another entity must refer to each one.
    let hasRequiredInverses: Bool
    /// What makes the stored form of a new object's value, for the columns that have one.
    private let defaults: [(column: Int, make: @Sendable () throws -> ColumnValue)]

    init(
        index: Int,
        description: EntityDescription,
        columns: [ResolvedColumn],
        relationships: [ResolvedRelationship],
        uniqueConstraints: [[Int]],
        indexes: [[Int]]
    ) {
        self.index = index
        self.description = description
        type = description.type
        self.columns = columns
        self.relationships = relationships
        self.uniqueConstraints = uniqueConstraints
        self.indexes = indexes
        var foldedColumns: [Int: Int] = [:]
        for (place, column) in columns.enumerated() {
            if case .folded(let attribute) = column.role { foldedColumns[attribute] = place }
        }
        self.foldedColumns = foldedColumns
        table = description.name.quotedIdentifier
        selected = ["." + Self.keyColumn.quotedIdentifier] + columns.map { "." + $0.quotedName }
        hasFoldedColumns = !foldedColumns.isEmpty
        requiredColumns = columns.indices.filter { columns[$0].isRequired }
        hasRequiredInverses = relationships.contains { relationship in
            guard case .inverseReference = relationship.storage else { return false }
            return relationship.cardinality == .requiredOne
        }
        defaults = columns.enumerated().compactMap { column, resolved in
            guard case .attribute(let place) = resolved.role else { return nil }
            return description.attributes[place].makeDefault.map { (column, $0) }
        }
    }

    /// Puts the values of a new object where there are none yet.
    ///
    /// - Parameters:
    ///   - values: Nothing, for all columns.
    ///   - refuse: Gets the columns whose defaults can't be stored.
    func putDefaults(_ values: UnsafeMutablePointer<ColumnValue?>, _ refuse: (Int, any Error) -> Void) {
        for (column, make) in defaults {
            do { values[column] = try make() } catch { refuse(column, error) }
        }
        guard hasFoldedColumns else { return }
        for (attribute, folded) in foldedColumns { values[folded] = values[attribute]?.searchFolded }
    }

    var name: String { description.name }
    /// The name of its table, as SQL takes it.
    let table: String
    /// Its columns as a query lists them, the key first, each beginning with a dot.
    private let selected: [String]

    /// Its columns as a query lists them, the key first.
    func selection(_ alias: String) -> String {
        var list = ""
        for column in selected { list += list.isEmpty ? alias + column : ", " + alias + column }
        return list
    }

    /// The columns by which an object is recognised among plain values: the first uniqueness that is made of attributes.
    var identity: [Int]? {
        uniqueConstraints.first { group in
            group.allSatisfy { if case .attribute = columns[$0].role { true } else { false } }
        }
    }

    func objectID(_ rowID: Int64) -> ObjectID { ObjectID(entityName: name, rowID: rowID) }

    /// What a change set calls changed columns.
    ///
    /// The folded text of an attribute changes with the attribute.
    func changeNames(_ changed: [Int]) -> [String] {
        changed.compactMap { index in
            if case .folded = columns[index].role { nil } else { columns[index].name }
        }
    }
}

/// One column of an entity's table.
struct ResolvedColumn: Sendable {
    enum Role: Sendable, Hashable {
        /// The attribute in this place.
        case attribute(Int)
        /// The primary key of the object that the relationship in this place leads to.
        case reference(Int)
        /// The place among the objects that the relationship of another entity leads to.
        case position
        /// The text of the attribute in this place, without case and accents.
        case folded(Int)
    }

    let name: String
    let columnType: String
    let isRequired: Bool
    let role: Role
    /// The entity that a reference leads to.
    var destination: Int?

    /// The name as SQL takes it.
    let quotedName: String

    init(name: String, columnType: String, isRequired: Bool, role: Role, destination: Int? = nil) {
        self.name = name
        self.columnType = columnType
        self.isRequired = isRequired
        self.role = role
        self.destination = destination
        quotedName = name.quotedIdentifier
    }
}

/// One relationship, with the place where its links are stored.
struct ResolvedRelationship: Sendable {
    enum Storage: Sendable, Hashable {
        /// In a column of the entity's own rows.
        case reference(column: Int)
        /// In a column of the destination's rows, with their place beside it if the order is kept.
        case inverseReference(column: Int, position: Int?)
        /// In rows of a table of their own.
        case joinTable(JoinTable, isSource: Bool)
    }

    let name: String
    let index: Int
    let owner: Int
    let destination: Int
    let cardinality: RelationshipDescription.Cardinality
    let isOrdered: Bool
    let deleteRule: DeleteRule
    /// The place of the inverse among the relationships of the destination.
    let inverse: Int
    let storage: Storage

    var isToMany: Bool { cardinality == .many }
}

/// The table of a relationship between many and many.
struct JoinTable: Sendable, Hashable {
    let name: String
    let sourceEntity: Int
    let targetEntity: Int
    let isSourceOrdered: Bool
    let isTargetOrdered: Bool

    var table: String { name.quotedIdentifier }
    func ownColumn(isSource: Bool) -> String { isSource ? "source" : "target" }
    func otherColumn(isSource: Bool) -> String { isSource ? "target" : "source" }
    /// The place among the objects that one object of the given side leads to, if that order is kept.
    func positionColumn(isSource: Bool) -> String? {
        if isSource { isSourceOrdered ? "sourcePosition" : nil } else { isTargetOrdered ? "targetPosition" : nil }
    }
}

extension String {
    /// The name as SQL takes any name.
    var quotedIdentifier: String {
        if !utf8.contains(UInt8(ascii: "\"")) { return "\"" + self + "\"" }
        return "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
#endif
