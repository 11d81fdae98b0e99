#if Objects
internal import Foundation
internal import Synchronization

/// A list of values that a closure makes from objects.
///
/// A read maps only the objects that are new or may have changed.
final class ValuesList<T: Object, Value: Sendable & Equatable>: Sendable {
    // This is safe because nothing changes the request.
    nonisolated(unsafe) private let request: ObjectRequest<T>
    private let section: SortDescriptor<T>?
    private let transform: @Sendable (T) throws -> Value
    /// The list after the last read, or `nil` before the first read and during a read.
    private let state = Mutex<State?>(nil)

    private struct State: Sendable {
        var list: ResultsWindow
        var shown: ValuesSnapshot<Value>
        /// The indexes of the entities to which the relationships lead that the closure has read.
        var region: Set<Int>
        /// The indexes of the entities on which the list depends.
        let dependencies: Set<Int>
    }

    init(
        _ request: ObjectRequest<T>,
        sectionBy section: SortDescriptor<T>?,
        _ transform: @escaping @Sendable (T) throws -> Value
    ) {
        self.request = request
        self.section = section
        self.transform = transform
    }

    /// Returns whether a save may have changed the list or its values.
    func isAffected(by changes: RowChanges, _ model: ResolvedModel) -> Bool {
        state.withLock { state in
            guard let state else { return true }
            return changes.concerns(state.region.union(state.dependencies), model)
        }
    }

    /// Reads the list, or what saves may have changed.
    ///
    /// After an error, the next call reads the whole list again.
    ///
    /// - Parameters:
    ///   - saved: The changes of the saves since the last read. The first read ignores them.
    ///   - context: A context that reads one snapshot of the database.
    /// - Returns: The list and its changes, or `nil` if nothing has changed.
    /// - Throws: Any error that occurs while reading the list.
    func read(_ saved: RowChanges?, in context: ObjectContext) throws -> ValuesUpdate<Value>? {
        let upkeep = ResultsUpkeep(
            plan: try ResultsPlan(request, sectionBy: section, in: context),
            queries: context.queries
        )
        let titles = try SectionTitles(section, nil, in: context)
        let earlier = state.withLock { state in
            defer { state = nil }
            return state
        }
        let (next, changes) =
            if let earlier { try update(earlier, saved ?? .none(context.model), upkeep, titles, context) } else {
                try first(upkeep, titles, context)
            }
        state.withLock { $0 = next }
        if earlier != nil, changes.isEmpty { return nil }
        return ValuesUpdate(snapshot: next.shown, changes: changes)
    }

    private func first(
        _ upkeep: ResultsUpkeep,
        _ titles: SectionTitles,
        _ context: ObjectContext
    ) throws -> (State, ResultsChanges) {
        let list = try context.readList(upkeep.list)
        let (values, region) = try map(list.index.byID.map(\.id), in: context)
        let snapshot = titles.snapshot(upkeep.plan.entity, list.index)
        let state = State(
            list: list,
            shown: ValuesSnapshot(snapshot, RowValues(values)),
            region: region,
            dependencies: Set(upkeep.plan.dependencies.related.keys).union([upkeep.plan.entity.index])
        )
        return (state, ResultsChanges(from: snapshot, to: snapshot, updated: [:]))
    }

    private func update(
        _ earlier: State,
        _ saved: RowChanges,
        _ upkeep: ResultsUpkeep,
        _ titles: SectionTitles,
        _ context: ObjectContext
    ) throws -> (State, ResultsChanges) {
        var next = earlier
        let isStale = saved.concerns(earlier.region, context.model)
        let (difference, values) = try updateList(&next, saved, mapsAll: isStale, upkeep, context)
        let snapshot = titles.snapshot(after: earlier.shown.list, next.list.index, difference)

        let properties = ChangedProperties(saved, upkeep.plan.entity)
        var updated: [Int64: Set<String>?] = [:]
        var rows = earlier.shown.rows
        for path in difference.deletions { rows[earlier.shown.list[path].rowID] = nil }
        for (row, value) in values {
            if earlier.shown.rows[row] != value { updated[row] = .some(properties[row]?.nonEmpty) }
            rows[row] = value
        }
        next.shown = ValuesSnapshot(snapshot, rows)
        let shownChanges =
            isStale
            ? ResultsChanges(from: earlier.shown.list, to: snapshot, updated: updated)
            : ResultsChanges(difference, in: snapshot) { if let names = updated[$0] { names } else { [] } }
        return (next, shownChanges)
    }

    /// Updates the list, and maps all of its objects, or those that are new or may have changed.
    private func updateList(
        _ state: inout State,
        _ saved: RowChanges,
        mapsAll: Bool,
        _ upkeep: ResultsUpkeep,
        _ context: ObjectContext
    ) throws -> (difference: IndexDifference, values: [(row: Int64, value: Value)]) {
        let earlier = state.list
        var difference = try context.readList { try upkeep.update(&state.list, saved, $0) }
        func ids() -> [Int64] {
            mapsAll
                ? state.list.index.byID.map(\.id) : Set((difference.insertions + difference.updates).map(\.id)).sorted()
        }
        var (values, region) = try map(ids(), in: context)
        state.region.formUnion(region)
        let existing = Set(values.map(\.row))
        if difference.insertions.allSatisfy({ existing.contains($0.id) }) { return (difference, values) }
        // A limited list also holds objects outside its limits. A later save, which is not merged yet, has deleted one that would enter.
        state.list = earlier
        difference = try context.readList { try upkeep.readAgain(&state.list, saved, $0) }
        let (others, otherRegion) = try map(ids().filter { !existing.contains($0) }, in: context)
        state.region.formUnion(otherRegion)
        values = values.filter { state.list.index.key(of: $0.row) != nil } + others
        return (difference, values)
    }

    /// Maps objects to values.
    ///
    /// - Returns: The values, and the indexes of the entities to which the relationships lead that the closure has read.
    private func map(
        _ ids: [Int64],
        in context: ObjectContext
    ) throws -> (values: [(row: Int64, value: Value)], region: Set<Int>) {
        guard !ids.isEmpty else { return ([], []) }
        // The objects themselves are no part of the region, unless a relationship leads to them.
        let objects = try context.load(T.self, ids, prefetching: [])
        context.region = []
        _ = try context.load(T.self, objects.map(\.objectID.rowID), prefetching: request.prefetch)
        let values = try objects.map { (row: $0.objectID.rowID, value: try transform($0)) }
        // This throws the recorded error of a relationship, whose accessor can't throw.
        _ = try context.openSource()
        return (values, context.region ?? [])
    }
}

extension Set {
    /// The set, or `nil` if it is empty.
    ///
    /// If no property of an object has changed, its value may have changed with a related object.
    fileprivate var nonEmpty: Set? { isEmpty ? nil : self }
}

extension RowChanges {
    fileprivate static func none(_ model: ResolvedModel) -> RowChanges { RowChanges(entities: model.entities.count) }

    /// Returns whether objects or links of entities with the given indexes may have changed.
    fileprivate func concerns(_ entities: Set<Int>, _ model: ResolvedModel) -> Bool {
        isComplete || entities.contains { !self.entities[$0].isEmpty }
            || model.joinTables.contains { join in
                links[join.name] != nil
                    && (entities.contains(join.sourceEntity) || entities.contains(join.targetEntity))
            }
    }
}
#endif
