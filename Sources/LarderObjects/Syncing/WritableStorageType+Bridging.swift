#if Objects
extension WritableStorageType {
    /// Brings values into objects, by the conversion of their class: those that are there by their keys are updated, the
    /// others inserted.
    ///
    /// An object whose values are the same already is not written. Of several values with the same keys the last counts.
    /// Objects that are in the way of other unique values are merged, as by ``upsert(_:into:by:key:update:)``.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - keys: The attributes that an object is recognised by, together.
    /// - Returns: What was done.
    /// - Throws: ``ObjectError`` when the objects can't be read, or a key is no attribute that the values have.
    /// - Complexity: One query for each 30,000 values, and those of relationships.
    @discardableResult
    public func upsert<T: ReadOnlyConvertible>(
        _ values: [T.ReadOnlyType],
        by keys: PartialKeyPath<T>...
    ) throws -> SyncResult {
        let group = try BridgedKeys<T>(keys)
        var progress = UpsertProgress()
        guard let context = (self as? WriterStorage)?.context else {
            try upsert(values[...], group, &progress)
            return progress.result
        }
        try context.comparing {
            // Objects can only be in the way of other unique values, which a later part may move, so these are upserted at once.
            let isDivided = try values.count > UpsertProgress.part && group.isOnlyUniqueness(in: context)
            let size = isDivided ? UpsertProgress.part : max(1, values.count)
            for start in stride(from: 0, to: values.count, by: size) {
                if start > 0 { context.saveIfPossible() }
                try upsert(values[start..<min(start + size, values.count)], group, &progress)
            }
        }
        return progress.result
    }

    /// Upserts a part of the values.
    private func upsert<T: ReadOnlyConvertible>(
        _ values: ArraySlice<T.ReadOnlyType>,
        _ group: BridgedKeys<T>,
        _ progress: inout UpsertProgress
    ) throws {
        let values = Array(values)
        let wanted = try group.keys(values)
        var present: [T] = []
        for filter in group.filters(wanted) { present += try allObjects(ofType: T.self, matching: filter) }
        var result = SyncResult()
        let targets = try bring(values, wanted, present, group, &result)
        defer { for target in targets { target.isMet = false } }
        result.deleted += try mergeClashes(targets.filter(\.isMet))
        let unchanged = targets.prefix(present.count).filter { $0.isMet && !$0.hasChanges }.map(\.rowID)
        progress.add(result, unchanged: unchanged)
    }

    /// Makes the objects of a scope what the values are, by the conversion of their class: inserts what is new, updates what
    /// differs, deletes what is gone.
    ///
    /// An object whose values are the same already is not written, so that nobody is told of it.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - scope: Which objects the values stand for; all of the class without one.
    ///   - keys: The attributes that an object is recognised by within the scope, together.
    /// - Returns: What was done.
    /// - Throws: ``ObjectError`` when the objects can't be read, or a key is no attribute that the values have.
    /// - Complexity: One query, however many values, and those of relationships.
    @discardableResult
    public func sync<T: ReadOnlyConvertible>(
        _ values: [T.ReadOnlyType],
        scope: Filter<T>? = nil,
        by keys: PartialKeyPath<T>...
    ) throws -> SyncResult {
        let group = try BridgedKeys<T>(keys)
        let present = try allObjects(ofType: T.self, matching: scope)
        var result = SyncResult()
        let targets = try bring(values, try group.keys(values), present, group, &result)
        defer { for target in targets { target.isMet = false } }
        // By their places: a pair of sequences, one of them generic, is walked by what the run-time looks up for each element.
        for place in 0..<present.count where !targets[place].isMet {
            result.deleted.append(targets[place].objectID)
            try deleteObject(present[place])
        }
        result.deleted += try mergeClashes(targets.filter(\.isMet))
        return result
    }

    /// Updates and inserts.
    ///
    /// - Returns: The objects that were present, then the new ones; those that a value stands for are marked as met.
    private func bring<T: ReadOnlyConvertible>(
        _ values: [T.ReadOnlyType],
        _ keys: [BridgedKey],
        _ present: [T],
        _ group: BridgedKeys<T>,
        _ result: inout SyncResult
    ) throws -> [ObjectState] {
        var objects = present
        var targets = T.states(of: present)
        var known = KeyIndex(targets, group.columns, integers: keys)
        var places: [Int] = []
        places.reserveCapacity(keys.count)
        for key in keys {
            if let place = known[key] {
                places.append(place)
                continue
            }
            let object = try insertNewObject(ofType: T.self)
            known[key] = objects.count
            places.append(objects.count)
            objects.append(object)
            targets.append(object.objectState)
            result.inserted.append(object.objectID)
        }
        T.update(objects, with: values, at: places)
        for place in places { targets[place].isMet = true }
        for target in targets.prefix(present.count) where target.isMet {
            if target.hasChanges { result.updated.append(target.objectID) } else { result.unchanged += 1 }
        }
        return targets
    }

    private func mergeClashes(_ states: [ObjectState]) throws -> [ObjectID] {
        guard let context = states.first?.context else { return [] }
        return try context.mergeClashes(states)
    }
}

/// What the parts of an upsert came to so far.
private struct UpsertProgress {
    /// How many values are upserted before they are saved in passing, so that their objects need not stay in memory.
    static let part = 20_000

    private(set) var result = SyncResult()
    /// Rows that were counted, as far as there are several parts: a later value with the same keys does not count again.
    private var written = RowIDSet()
    private var unchanged = RowIDSet()

    mutating func add(_ part: SyncResult, unchanged rows: [Int64]) {
        for id in part.inserted where written.insert(id.rowID) { result.inserted.append(id) }
        for id in part.updated where written.insert(id.rowID) {
            result.updated.append(id)
            if unchanged.contains(id.rowID) { result.unchanged -= 1 }
        }
        for row in rows where !written.contains(row) && unchanged.insert(row) { result.unchanged += 1 }
        result.deleted += part.deleted
    }
}

/// Finds places by keys; where all keys are single integers, as mostly, by these alone.
private struct KeyIndex {
    private var integers: [Int64: Int] = [:]
    private var others: [BridgedKey: Int] = [:]

    /// The places of `states` by what is in `columns`.
    init(_ states: [ObjectState], _ columns: [Int], integers keys: [BridgedKey]) {
        if columns.count == 1, keys.allSatisfy({ $0.first.integerValue != nil }) {
            integers.reserveCapacity(states.count)
            for (place, state) in states.enumerated() {
                if let key = state.reference(columns[0]) { integers[key] = place }
            }
        } else {
            others.reserveCapacity(states.count)
            for (place, state) in states.enumerated() {
                others[BridgedKey(first: state.column(columns[0]), rest: columns.dropFirst().map(state.column))] = place
            }
        }
    }

    subscript(key: BridgedKey) -> Int? {
        get { if let integer = key.integer { integers[integer] ?? others[key] } else { others[key] } }
        set { if let integer = key.integer { integers[integer] = newValue } else { others[key] = newValue } }
    }
}

/// The stored forms by which a value and an object are recognised as one another; mostly there is only one.
private struct BridgedKey: Hashable {
    let first: ColumnValue
    var rest: [ColumnValue] = []

    var all: [ColumnValue] { [first] + rest }
    /// The only value, if it is an integer.
    var integer: Int64? { rest.isEmpty ? first.integerValue : nil }
}

/// The attributes by which values of a struct and objects are recognised as one another.
private struct BridgedKeys<T: ReadOnlyConvertible>: Sendable {
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
            "a key of \(T.entityName) that is no attribute of it and of \(T.ReadOnlyType.self)",
            "name stored attributes that both have"
        )
    }

    /// The keys of values.
    func keys(_ values: [T.ReadOnlyType]) throws -> [BridgedKey] {
        guard let first = T.columnValues(columns[0], of: values) else { throw Self.refused }
        var keys = first.map { BridgedKey(first: $0) }
        for column in columns.dropFirst() {
            guard let more = T.columnValues(column, of: values) else { throw Self.refused }
            for (place, value) in more.enumerated() { keys[place].rest.append(value) }
        }
        return keys
    }

    /// Whether no attributes but these must be unique.
    func isOnlyUniqueness(in context: ObjectContext) throws -> Bool {
        try context.model.entity(of: T.self).uniqueConstraints.allSatisfy { Set($0) == Set(columns) }
    }

    func key(_ object: T) -> BridgedKey {
        let state = object.objectState
        var key = BridgedKey(first: state.column(columns[0]))
        for column in columns.dropFirst() { key.rest.append(state.column(column)) }
        return key
    }

    /// Filters that together find the objects with these keys; SQLite takes at most 32,766 parameters in one query.
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
