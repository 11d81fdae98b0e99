#if Objects
internal import GRDB

/// The table of an entity, before or after a migration step with a custom stage.
final class RecordTable {
    /// The table or column that stores a relationship's links.
    enum Links {
        /// A reference column in this table.
        case column(String, position: String?)
        /// A reference column in the table of the related entity.
        case inverse(String, position: String?)
        /// A join table with one column for each side of the relationship.
        case join(String, own: String, other: String, position: String?)
    }

    let entity: SchemaDescription.Entity
    let isNew: Bool
    /// The version of the model to which the table belongs.
    let version: Int
    /// The current name of the table.
    ///
    /// The name changes when the rows of an unchanged entity are copied.
    var name: String {
        didSet { removeStatements() }
    }
    /// Whether rows can be written to the table.
    ///
    /// The value is `false` while the table also contains the objects of the old version.
    var isWritable: Bool
    private let columns: [String: Int]
    private let schema: SchemaDescription
    /// The functions that check whether an attribute's type can decode a value, indexed by column.
    ///
    /// An element is `nil` if the type can decode every value of its stored format.
    private let readable: [((ColumnValue) -> Bool)?]
    /// The UPDATE statements, each of which sets one attribute, indexed by column.
    private var updates: [PreparedStatement?]

    init(
        _ entity: SchemaDescription.Entity,
        of model: FrozenModel,
        isNew: Bool,
        named name: String,
        isWritable: Bool = false,
        attributes: [AttributeDescription] = []
    ) {
        self.entity = entity
        self.isNew = isNew
        self.name = name
        self.isWritable = isWritable
        version = model.version
        schema = model.schema
        updates = Array(repeating: nil, count: entity.columns.count)
        readable = entity.columns.map { column -> ((ColumnValue) -> Bool)? in
            if let attribute = attributes.first(where: { $0.name == column.name }) {
                guard attribute.storedTypeName != nil else { return nil }
                return { attribute.canDecode($0) }
            }
            guard let values = column.values.map(Set.init) else { return nil }
            return { $0.isCase(of: values) }
        }
        columns = Dictionary(
            entity.columns.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// A comma-separated list of all columns, beginning with the primary key.
    var selection: String {
        ([ResolvedEntity.quotedKeyColumn] + entity.columns.map(\.name.quotedIdentifier)).joined(separator: ", ")
    }

    /// Returns the column of an attribute, and the column's index.
    ///
    /// - Throws: ``ObjectError`` with code `invalidModel` if the entity has no such attribute.
    func attribute(_ name: String) throws -> (index: Int, column: SchemaDescription.Column) {
        if let index = columns[name], !["reference", "position", "folded"].contains(entity.columns[index].format) {
            return (index, entity.columns[index])
        }
        throw missing(name, "attribute", entity.attributes.map(\.name))
    }

    /// Returns whether the type of an attribute can decode a stored value.
    func isReadable(_ value: ColumnValue, at index: Int) -> Bool { readable[index]?(value) ?? true }

    /// Returns a statement that sets an attribute and its case-folded column, if any, in one row.
    func update(_ index: Int, _ database: Database) throws -> (statement: PreparedStatement, isFolded: Bool) {
        let column = entity.columns[index].name
        let folded = column + ".folded"
        let isFolded = columns[folded] != nil
        if let known = updates[index] { return (known, isFolded) }
        let more = isFolded ? ", \(folded.quotedIdentifier) = ?3" : ""
        let statement = try PreparedStatement(
            "UPDATE \(name.quotedIdentifier) SET \(column.quotedIdentifier) = ?2\(more) WHERE objectID = ?1",
            on: database
        )
        updates[index] = statement
        return (statement, isFolded)
    }

    func removeStatements() { updates = Array(repeating: nil, count: updates.count) }

    /// Returns the relationship with the given name.
    ///
    /// - Throws: ``ObjectError`` with code `invalidModel` if the entity has no such relationship.
    func relationship(_ name: String) throws -> SchemaDescription.Relationship {
        if let relationship = entity.relationships.first(where: { $0.name == name }) { return relationship }
        throw missing(name, "relationship", entity.relationships.map(\.name))
    }

    private func missing(_ name: String, _ kind: String, _ names: [String]) -> ObjectError {
        let list = names.isEmpty ? "The entity has no \(kind)s" : "Use one of \(names.joined(separator: ", "))"
        return ObjectError(
            .invalidModel,
            "\(entity.name) has no \(kind) \"\(name)\" in version \(version). \(list)."
        )
    }

    /// Returns the table or column that stores a relationship's links.
    func links(_ relationship: SchemaDescription.Relationship) -> Links {
        let inverse = schema.inverse(of: relationship)
        if let join = relationship.joinTable {
            let isSource = schema.isHolder(relationship, entity)
            return .join(
                join,
                own: isSource ? "source" : "target",
                other: isSource ? "target" : "source",
                position: relationship.isOrdered ? (isSource ? "sourcePosition" : "targetPosition") : nil
            )
        }
        if schema.isHolder(relationship, entity) {
            let position = inverse?.isOrdered == true ? relationship.name + ".position" : nil
            return .column(relationship.name, position: position)
        }
        return .inverse(
            relationship.inverse,
            position: relationship.isOrdered ? relationship.inverse + ".position" : nil
        )
    }
}
#endif
