#if Objects
internal import Foundation

/// A sort order with resolved property paths, for sorting in SQL and in memory.
struct ResolvedSort {
    struct Key {
        let path: [PropertyReference]
        let isAscending: Bool
    }

    let keys: [Key]

    /// Whether the sort order uses a property of a related object.
    var isByRelated: Bool { keys.contains { $0.path.count > 1 } }

    init<T: Object>(_ descriptors: [SortDescriptor<T>], in context: ObjectContext) throws {
        let entity = try context.model.entity(of: T.self)
        keys = try descriptors.map { descriptor in
            guard let keyPath = descriptor.keyPath else {
                throw SQLTranslator.unsupported("a sort order without a key path", "Sort by stored properties")
            }
            let path: [PropertyReference]?
            if let reference = entity.description.propertiesByKeyPath[keyPath] {
                path = [reference]
            } else {
                path = try PropertyProbe.path(of: keyPath, in: context)?.properties
            }
            guard let path, Self.endsInValue(path, entity, context.model) else {
                throw SQLTranslator.unsupported(
                    "a sort order of \(entity.name) by a property that is not a stored attribute",
                    "Sort by stored attributes"
                )
            }
            return Key(path: path, isAscending: descriptor.order == .forward)
        }
    }

    private static func endsInValue(
        _ path: [PropertyReference],
        _ entity: ResolvedEntity,
        _ model: ResolvedModel
    ) -> Bool {
        var entity = entity
        for (place, step) in path.enumerated() {
            switch step {
            case .key: return place == path.count - 1
            case .attribute(let index):
                return place == path.count - 1 && entity.description.attributes[index].format.name != "json"
            case .relationship(let index):
                guard !entity.relationships[index].isToMany else { return false }
                entity = model.entities[entity.relationships[index].destination]
            }
        }
        return false
    }

    /// Returns the values by which the query sorts, as SQL.
    func values(_ translator: inout SQLTranslator, _ source: SQLTranslator.Source) -> [String] {
        keys.compactMap { key in
            var fragment = SQLTranslator.Fragment.object(source)
            for step in key.path {
                if case .object(let source) = fragment { fragment = translator.property(step, of: source) }
            }
            if case .value(let value) = fragment { return value.sql }
            return nil
        }
    }

    /// Returns the terms of the `ORDER BY` clause.
    ///
    /// The last term is the id, so that the order is total.
    func order(by values: [String], _ source: SQLTranslator.Source) -> String {
        let terms = zip(values, keys).map { $0 + ($1.isAscending ? "" : " DESC") }
        return (terms + [source.key]).joined(separator: ", ")
    }

    /// Sorts objects in memory in the same order as the database.
    func sort(_ states: inout [ObjectState], in context: ObjectContext) throws {
        var keyed = try states.map { state in
            (state, try keys.map { try value(of: state, $0.path, in: context) })
        }
        keyed.sort { first, second in
            for (place, key) in keys.enumerated() where first.1[place] != second.1[place] {
                return key.isAscending ? first.1[place] < second.1[place] : second.1[place] < first.1[place]
            }
            return first.0.rowID < second.0.rowID
        }
        states = keyed.map(\.0)
    }

    private func value(
        of state: ObjectState,
        _ path: [PropertyReference],
        in context: ObjectContext
    ) throws -> ColumnValue {
        var state = state
        for step in path {
            switch step {
            case .key: return .integer(state.rowID)
            case .attribute(let index): return state.column(index)
            case .relationship(let index):
                guard let next = try context.target(of: state, state.entity.relationships[index]) else {
                    return .null
                }
                state = next
            }
        }
        return .null
    }
}
#endif
