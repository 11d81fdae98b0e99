#if Objects
/// A validated model and the layout of its tables.
final class ResolvedModel: Sendable {
    let entities: [ResolvedEntity]
    let version: Int
    /// The entities of earlier versions whose objects a migration may delete, identified by their most recent names.
    let dropped: [String]
    /// The frozen earlier versions and the custom stages between them.
    let plan: MigrationPlan?
    /// The file that was opened read-only, or `nil` if the database is writable.
    private let file: ReadOnlyFile?
    /// The model's join tables, without duplicates.
    let joinTables: [JoinTable]
    private let byType: [ObjectIdentifier: Int]
    private let byName: [String: Int]

    init(
        entities: [ResolvedEntity],
        version: Int,
        dropped: [String] = [],
        plan: MigrationPlan? = nil,
        reading file: ReadOnlyFile? = nil
    ) {
        self.entities = entities
        self.version = version
        self.dropped = dropped
        self.plan = plan
        self.file = file
        joinTables = entities.flatMap(\.relationships).compactMap { relationship in
            if case .joinTable(let join, isSource: true) = relationship.storage { join } else { nil }
        }
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
                "The entity \(type.entityDescription.name) is not in the model. Add its class to the ObjectModel."
            )
        }
        if let file, file.entities.contains(entities[index].name) {
            throw ObjectError(
                .modelMismatch,
                "The entity \(entities[index].name) can't be read, because the database (version \(file.version)) lacks the entity or "
                    + "one of its required properties. Read other entities, or update the program."
            )
        }
        return entities[index]
    }

    /// Returns a copy of this model for a read-only database.
    func reading(_ file: ReadOnlyFile) -> ResolvedModel {
        ResolvedModel(entities: entities, version: version, dropped: dropped, plan: plan, reading: file)
    }

    func entity(named name: String) -> ResolvedEntity? { byName[name].map { entities[$0] } }

    func inverse(of relationship: ResolvedRelationship) -> ResolvedRelationship {
        entities[relationship.destination].relationships[relationship.inverse]
    }
}

/// An entity of a validated model, with its columns and relationships.
final class ResolvedEntity: Sendable {
    /// The name of the primary key of every table.
    static let keyColumn = "objectID"
    static let quotedKeyColumn = keyColumn.quotedIdentifier

    let index: Int
    let description: EntityDescription
    let type: any Object.Type
    /// The columns of the entity's table, in order.
    ///
    /// Attributes come first in source order, then to-one references, positions in ordered relationships, and case-folded search columns.
    let columns: [ResolvedColumn]
    let relationships: [ResolvedRelationship]
    /// The unique constraints, each given as an array of indexes into ``columns``.
    let uniqueConstraints: [[Int]]
    /// The database indexes, each given as an array of indexes into ``columns``.
    let indexes: [[Int]]
    /// The index of each case-folded search column, keyed by the column index of the searchable attribute.
    let foldedColumns: [Int: Int]
    let hasFoldedColumns: Bool
    /// The indexes of the columns that must not be NULL.
    let requiredColumns: [Int]
    /// Whether the entity has a required relationship whose foreign key is stored in the destination's table.
    let hasRequiredInverses: Bool
    /// The columns with default values, each with a closure that returns the default in its stored form.
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
        query = "SELECT \(selected.map { "t" + $0 }.joined(separator: ", ")) FROM \(table) AS t"
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

    /// Sets the values of a new object to the entity's defaults.
    ///
    /// - Parameters:
    ///   - values: A buffer with one element per column, all of them `nil`.
    ///   - refuse: A closure that is called for each column whose default can't be stored.
    func putDefaults(_ values: UnsafeMutablePointer<ColumnValue?>, _ refuse: (Int, any Error) -> Void) {
        for (column, make) in defaults {
            do { values[column] = try make() } catch { refuse(column, error) }
        }
        guard hasFoldedColumns else { return }
        for (attribute, folded) in foldedColumns { values[folded] = values[attribute]?.searchFolded }
    }

    var name: String { description.name }
    /// The quoted name of the entity's table.
    let table: String
    /// The SQL of a query for all rows in the table, with the table alias `t`.
    let query: String
    /// The quoted names of the selected columns, each with a leading dot, starting with the primary key.
    private let selected: [String]

    /// Returns the SQL of the SELECT list for a table alias, starting with the primary key.
    func selection(_ alias: String) -> String {
        var list = ""
        for column in selected { list += list.isEmpty ? alias + column : ", " + alias + column }
        return list
    }

    /// The indexes of the columns used to match nested structs with stored objects, or `nil` if there are none.
    ///
    /// These are the columns of the first unique constraint that consists only of attributes.
    var identity: [Int]? {
        uniqueConstraints.first { group in
            group.allSatisfy { if case .attribute = columns[$0].role { true } else { false } }
        }
    }

    func objectID(_ rowID: Int64) -> ObjectID { ObjectID(entityName: name, rowID: rowID) }

    /// Returns the names of the given changed columns, for use in a change set.
    ///
    /// Case-folded search columns are omitted, because they change with their attributes.
    func changeNames(_ changed: [Int]) -> [String] {
        changed.compactMap { index in
            if case .folded = columns[index].role { nil } else { columns[index].name }
        }
    }
}

struct ResolvedColumn: Sendable {
    enum Role: Sendable, Hashable {
        /// A column for the attribute at the given index.
        case attribute(Int)
        /// The foreign-key column of the relationship at the given index.
        case reference(Int)
        /// A column for the object's position in an ordered relationship of another entity.
        case position
        /// The case-folded search column of the attribute at the given index.
        case folded(Int)
    }

    let name: String
    let columnType: String
    let isRequired: Bool
    let role: Role
    /// The index of the entity to which a reference column refers, or `nil` for other columns.
    var destination: Int?

    /// The column's name, quoted for SQL.
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

/// A relationship of an entity in a validated model.
struct ResolvedRelationship: Sendable {
    enum Storage: Sendable, Hashable {
        /// The references are stored in a column of the entity's own table.
        case reference(column: Int)
        /// The references are stored in a column of the destination's table.
        ///
        /// If the relationship is ordered, the positions are stored in another column of that table.
        case inverseReference(column: Int, position: Int?)
        /// The references are stored in a join table.
        case joinTable(JoinTable, isSource: Bool)
    }

    let name: String
    let index: Int
    let owner: Int
    let destination: Int
    let cardinality: RelationshipDescription.Cardinality
    let isOrdered: Bool
    let deleteRule: DeleteRule
    /// The index of the inverse relationship in the destination's list of relationships.
    let inverse: Int
    let storage: Storage

    var isToMany: Bool { cardinality == .many }
}

/// The join table that stores a many-to-many relationship.
struct JoinTable: Sendable, Hashable {
    let name: String
    let sourceEntity: Int
    let targetEntity: Int
    let isSourceOrdered: Bool
    let isTargetOrdered: Bool

    var table: String { name.quotedIdentifier }
    func ownColumn(isSource: Bool) -> String { isSource ? "source" : "target" }
    func otherColumn(isSource: Bool) -> String { isSource ? "target" : "source" }
    /// Returns the name of the position column for one side of the relationship, or `nil` if that side is not ordered.
    func positionColumn(isSource: Bool) -> String? {
        if isSource { isSourceOrdered ? "sourcePosition" : nil } else { isTargetOrdered ? "targetPosition" : nil }
    }
}

extension String {
    /// The string quoted as a SQL identifier.
    var quotedIdentifier: String {
        if !utf8.contains(UInt8(ascii: "\"")) { return "\"" + self + "\"" }
        return "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
#endif
