#if Objects
/// The stored values of the key attributes of a struct or an object.
struct BridgedKey: Hashable {
    let first: ColumnValue
    var rest: [ColumnValue] = []

    var all: [ColumnValue] { [first] + rest }
    /// The value of the key if the key is a single integer, or `nil` otherwise.
    var integer: Int64? { rest.isEmpty ? first.integerValue : nil }
}

/// The key attributes that match structs with stored objects.
struct BridgedKeys<T: ReadOnlyConvertible>: Sendable {
    let columns: [Int]

    init(_ keys: [PartialKeyPath<T>]) throws {
        guard !keys.isEmpty else { throw Self.refused }
        columns = try keys.map { key in
            guard case .attribute(let place)? = T.entityDescription.propertiesByKeyPath[key] else { throw Self.refused }
            return place
        }
    }

    private static var refused: ObjectError {
        SQLTranslator.unsupported(
            "a key of \(T.entityName) that is not an attribute of both \(T.entityName) and \(T.ReadOnlyType.self)",
            "Use attributes that both types store"
        )
    }

    /// Returns the key of each struct, which consists of the values of the key attributes.
    func keys(_ values: [T.ReadOnlyType]) throws -> [BridgedKey] {
        guard let first = T.columnValues(columns[0], of: values) else { throw Self.refused }
        var keys = first.map { BridgedKey(first: $0) }
        for column in columns.dropFirst() {
            guard let more = T.columnValues(column, of: values) else { throw Self.refused }
            for (place, value) in more.enumerated() { keys[place].rest.append(value) }
        }
        return keys
    }

    /// Returns whether the class has no unique constraint except on the key attributes.
    func isOnlyUniqueness(in context: ObjectContext) throws -> Bool {
        try context.model.entity(of: T.self).uniqueConstraints.allSatisfy { Set($0) == Set(columns) }
    }

    /// Returns the objects in `storage` with the given keys.
    ///
    /// An object without a matching key is not returned. The objects are not in the order of the keys.
    func objects(_ keys: [BridgedKey], in storage: any WritableStorageType) throws -> [T] {
        if keys.count == 1, let context = (storage as? WriterStorage)?.context {
            return try context.objects(T.self, columns, keys[0].all)
        }
        return try filters(keys).flatMap { try storage.allObjects(ofType: T.self, matching: $0) }
    }

    /// Returns the names and values of a key's attributes, such as `siteID 1, number 17`, for messages.
    func description(of key: BridgedKey) -> String {
        let parts = zip(columns, key.all).map { "\(T.entityDescription.attributes[$0].name) \($1.sqlLiteral)" }
        return parts.joined(separator: ", ")
    }

    func key(_ object: T) -> BridgedKey {
        let state = object.objectState
        var key = BridgedKey(first: state.column(columns[0]))
        for column in columns.dropFirst() { key.rest.append(state.column(column)) }
        return key
    }

    /// Returns filters that together match the objects with the given keys.
    ///
    /// Each filter stays below SQLite's limit of 32,766 parameters.
    func filters(_ keys: [BridgedKey]) -> [Filter<T>] {
        let columns = columns
        let integers = Set(keys.compactMap(\.first.integerValue))
        if keys.isEmpty { return [] }
        if columns.count == 1, keys.allSatisfy({ $0.first.integerValue != nil }) {
            return [
                filter(Set(keys)) { translator, source in
                    let name = source.entity.columns[columns[0]].quotedName
                    let list = translator.bind(ObjectContext.list(integers))
                    return "\(source.alias).\(name) IN (SELECT value FROM json_each(\(list)))"
                }
            ]
        }
        let size = 30_000 / columns.count
        let distinct = Array(Set(keys))
        return stride(from: 0, to: distinct.count, by: size).map { start in
            let part = Array(distinct[start..<min(start + size, distinct.count)])
            return filter(Set(part)) { translator, source in
                let names = columns.map { "\(source.alias).\(source.entity.columns[$0].quotedName)" }
                let rows = part.map { "(" + $0.all.map { translator.bind($0) }.joined(separator: ", ") + ")" }
                return "(\(names.joined(separator: ", "))) IN (VALUES \(rows.joined(separator: ", ")))"
            }
        }
    }

    private func filter(
        _ wanted: Set<BridgedKey>,
        _ translate: @escaping @Sendable (inout SQLTranslator, SQLTranslator.Source) throws -> String
    ) -> Filter<T> {
        let keys = self
        return Filter(
            matches: { wanted.contains(keys.key($0)) },
            condition: { translator, source in .sql(try translate(&translator, source), rows: []) }
        )
    }
}
#endif
