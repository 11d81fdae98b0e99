#if Objects
/// A property of a struct, as a save would store it.
struct StoredProperty: Hashable {
    enum Content: Hashable {
        case value(ColumnValue)
        case unstorable
        /// The nested structs of an ordered relationship.
        case ordered([[Content]])
        /// The nested structs of a relationship without an order, with the number of equal structs.
        case unordered([[Content]: Int])
    }

    let reference: PropertyReference
    let name: String
    let content: Content
}

/// Converts structs to their stored properties, by setting new objects that are never saved.
///
/// This also works for a class with its own `update(with:)`, and for nested structs.
struct StoredForms<T: ReadOnlyConvertible> {
    private let scratch: ObjectContext

    private init(_ scratch: ObjectContext) { self.scratch = scratch }

    /// Runs `body` with a converter of structs that would be stored in `context`.
    static func with<Result>(_ context: ObjectContext, _ body: (Self) throws -> Result) throws -> Result {
        let scratch = try context.makeScratch()
        defer { scratch.end() }
        return try scratch.comparing { try body(Self(scratch)) }
    }

    /// Returns the struct's attributes and relationships, in the order of the entity's description.
    func properties(of value: T.ReadOnlyType) throws -> [StoredProperty] {
        let object = try scratch.insert(T.self)
        object.update(with: value)
        let state = object.objectState
        let contents = try scratch.contents(of: state)
        if let failure = scratch.failure { throw failure }
        let attributes = state.entity.description.attributes
        return contents.enumerated().map { place, content in
            guard place >= attributes.count else {
                return StoredProperty(reference: .attribute(place), name: attributes[place].name, content: content)
            }
            let relationship = state.entity.relationships[place - attributes.count]
            return StoredProperty(
                reference: .relationship(relationship.index),
                name: relationship.name,
                content: content
            )
        }
    }
}

extension ObjectContext {
    /// Returns an empty context for objects that are never saved.
    fileprivate func makeScratch() throws -> ObjectContext {
        // Negative ids differ from the ids of all stored objects.
        var rowID: Int64 = 0
        let scratch = ObjectContext(
            model: model,
            source: try openSource(),
            isWritable: true,
            issues: issues,
            path: path,
            queries: queries,
            health: health,
            nextRowID: {
                rowID -= 1
                return rowID
            }
        )
        scratch.isScratch = true
        return scratch
    }

    /// Returns the contents of an object's attributes and then of its relationships.
    fileprivate func contents(of state: ObjectState) throws -> [StoredProperty.Content] {
        var visited: Set<Int64> = []
        return try contents(of: state, &visited)
    }

    /// Returns the contents of an object's properties, without related objects in `visited`.
    ///
    /// Without this exception, the inverse of a relationship would lead back to the object.
    private func contents(of state: ObjectState, _ visited: inout Set<Int64>) throws -> [StoredProperty.Content] {
        visited.insert(state.rowID)
        var contents = state.entity.description.attributes.indices.map { column -> StoredProperty.Content in
            state.unstorable[column] == nil ? .value(state.column(column)) : .unstorable
        }
        for relationship in state.entity.relationships {
            let ids = try list(of: state, relationship).filter { !visited.contains($0) }
            var nested: [[StoredProperty.Content]] = []
            for entry in try entries(model.entities[relationship.destination], ids) {
                nested.append(try self.contents(of: entry, &visited))
            }
            contents.append(
                relationship.isOrdered
                    ? .ordered(nested)
                    : .unordered(Dictionary(nested.map { ($0, 1) }, uniquingKeysWith: +))
            )
        }
        return contents
    }
}
#endif
