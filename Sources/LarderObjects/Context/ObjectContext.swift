#if Objects
internal import Foundation
internal import LarderCore

/// A set of unique objects and their unsaved changes, comparable to `NSManagedObjectContext`.
///
/// A writer's context is used for one `performAndSave` call on one thread. The view's context is shared between threads and protected by a
/// lock.
final class ObjectContext {
    let model: ResolvedModel
    let isWritable: Bool
    let issues: IssueChannel
    let path: String
    let queries: QueryCounter
    let health: DatabaseHealth
    private let gate: NSRecursiveLock?
    /// Whether several threads share the context.
    var isShared: Bool { gate != nil }
    /// The nesting depth of ``exclusively(_:)`` calls on the thread that holds the lock.
    private var gateDepth = 0
    /// Issues to report after the context's lock is released, because issue handlers may run client code.
    private var heldIssues: [LarderIssue] = []
    /// Instances to release after the context's lock is released, because their deinitializers may run client code.
    private var heldInstances: [AnyObject] = []
    /// The source from which rows are read, or `nil` after the context has ended.
    var source: (any RowSource)?
    /// A closure that returns the next unused row id, or `nil` after the context has ended.
    ///
    /// The closure may retain statements of the connection, so it is released when the context ends.
    private var makeRowID: (() throws -> Int64)?
    /// The error that occurred while a relationship was read, if any.
    ///
    /// In the view's context, the next read throws this error. In a writer's context, every later read and save throws this error.
    var failure: (any Error)?
    var faults = FaultReports()
    /// Whether SQLite has rolled back the transaction, so that the context can no longer read or write.
    private var isAbandoned = false
    /// The objects in this context, with one table for each entity.
    let tables: [ObjectTable]
    /// The objects that may have changed, indexed by entity.
    ///
    /// The objects of each entity are in the order of their first change.
    var listed: [[ObjectState]]
    var links = LinkChanges()
    /// The lists that are updated after each merge.
    var lists = ViewLists()
    /// The merged changes of which the lists have not been notified, or `nil` if there are none.
    var unlisted: RowChanges?
    /// The ids of this context's objects whose changed rows could not be read, indexed by entity.
    var unread: [Int: Set<Int64>] = [:]
    var saved: RowChanges
    /// The columns whose old values can be recorded, or `nil` in the view's context.
    let historyColumns: HistoryColumns?
    /// The values of objects before the transaction, or `nil` if none were noted.
    var oldValues: OldValues?
    /// The name under which the save is recorded, if it differs from that of the manager.
    var author: String?
    /// The model indexes of the entities that query results depend on, or `nil` if dependencies are not recorded.
    var region: Set<Int>?
    /// The counter of repeated queries, which exists only in debug builds while an operation runs.
    var watchedRepetitions: RepeatedQueries?
    /// The number of sweeps that have released unused objects, modulo 256.
    private(set) var round: UInt8 = 0
    /// The number of insertions since the last automatic save.
    var unsavedInsertions = 0
    var insertionLimit = ObjectContext.insertionsInMemory
    static let insertionsInMemory = 100_000
    /// Whether an automatic save has written changes since the caller last saved.
    var wasSavedAutomatically = false
    /// Whether ``comparing(_:)`` has disabled automatic saves.
    var isComparing = false
    /// Whether the context's objects are only compared, and never saved.
    ///
    /// Nested structs then become new objects, whatever is stored.
    var isScratch = false
    /// In a scratch context, the defaults of each entity by its index, because a default may differ from call to call.
    var scratchDefaults: [Int: [ColumnValue?]] = [:]
    /// The properties of one object that ``changing(only:of:_:)`` allows to change, or `nil` if all properties can be changed.
    var changeable: (state: ObjectState, properties: Set<PropertyReference>)?
    private var sweepThreshold = 4_096
    private var lastEntity: ResolvedEntity?

    init(
        model: ResolvedModel,
        source: any RowSource,
        isWritable: Bool,
        issues: IssueChannel,
        path: String,
        queries: QueryCounter,
        health: DatabaseHealth,
        historyColumns: HistoryColumns? = nil,
        nextRowID: @escaping () throws -> Int64
    ) {
        self.model = model
        self.source = source
        self.isWritable = isWritable
        self.issues = issues
        self.path = path
        self.queries = queries
        self.health = health
        self.historyColumns = historyColumns
        makeRowID = nextRowID
        gate = isWritable ? nil : NSRecursiveLock()
        tables = model.entities.map { _ in ObjectTable() }
        saved = RowChanges(entities: model.entities.count)
        listed = Array(repeating: [], count: model.entities.count)
    }

    /// Runs `body` with exclusive access to the context.
    ///
    /// The closure must not run client code, which could deadlock with a thread that waits for the context's lock.
    func exclusively<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let gate else { return try body() }
        gate.lock()
        gateDepth += 1
        defer { leave(gate) }
        return try body()
    }

    private func leave(_ gate: NSRecursiveLock) {
        gateDepth -= 1
        guard gateDepth == 0, !heldIssues.isEmpty || !heldInstances.isEmpty else { return gate.unlock() }
        let (held, instances) = (heldIssues, heldInstances)
        (heldIssues, heldInstances) = ([], [])
        gate.unlock()
        withExtendedLifetime(instances) {}
        for issue in held { issues.report(issue) }
    }

    /// Breaks the reference cycle between a removed state and its instance.
    ///
    /// The instance is released without holding the context's lock.
    func release(_ state: ObjectState) {
        guard let instance = state.object else { return }
        state.object = nil
        if gate != nil { heldInstances.append(instance) }
    }

    /// Reports an issue after the context's lock is released.
    func report(_ issue: LarderIssue) {
        if gate == nil { return issues.report(issue) }
        exclusively { heldIssues.append(issue) }
    }

    /// Ends the context.
    ///
    /// The context's objects keep their values, but can no longer be read from the database or changed.
    ///
    /// - Returns: The tables that hold the objects. Releasing them may take a long time.
    @discardableResult
    func end() -> [ObjectTable] {
        exclusively {
            source = nil
            makeRowID = nil
            let held = tables.filter { !$0.isEmpty }.map { $0.handOver() }
            listed = Array(repeating: [], count: listed.count)
            links = LinkChanges()
            return held
        }
    }

    func entity(of type: any Object.Type) throws -> ResolvedEntity {
        if let lastEntity, lastEntity.type == type { return lastEntity }
        let entity = try model.entity(of: type)
        lastEntity = entity
        return entity
    }

    /// Returns the source from which rows are read.
    ///
    /// - Throws: The recorded error if a relationship could not be read, or ``ObjectError`` with code `expired` if the context has ended.
    func openSource() throws -> any RowSource {
        if isAbandoned {
            throw ObjectError(
                .database,
                "The operation can't continue because SQLite rolled back its transaction after a failed write. "
                    + "Rethrow the error, then call performAndSave again.",
                path: path
            )
        }
        if let failure {
            if !isWritable { self.failure = nil }
            throw failure
        }
        guard let source else { throw Self.expired }
        return source
    }

    /// Whether ``openSource()`` would succeed.
    var isOpen: Bool { source != nil && failure == nil && !isAbandoned }

    func nextRowID() throws -> Int64 {
        guard let makeRowID else { throw Self.expired }
        return try makeRowID()
    }

    static var expired: ObjectError {
        ObjectError(
            .expired,
            "The storage was used after its closure returned or after the manager was closed. "
                + "Use the storage only inside the closure."
        )
    }

    /// Records that SQLite has rolled back the transaction.
    func abandon() { isAbandoned = true }

    /// Runs a query, and maps each row of the result with `body`.
    func query<Result>(
        _ sql: String,
        _ values: [ColumnValue] = [],
        _ body: (PreparedStatement) throws -> Result
    ) throws -> [Result] {
        try reading([sql]) { try $0.rows(sql, values, body) }
    }

    /// Runs several queries on the same snapshot of the database.
    func reading<Result>(_ queries: [String], _ body: (StatementCache) throws -> Result) throws -> Result {
        let source = try openSource()
        for sql in queries {
            self.queries.count(sql)
            noteRepetition(of: sql)
        }
        do {
            return try self.queries.meter.measuring(queries) { try source.read(body) }
        } catch {
            throw health.noting(error, report: report)
        }
    }

    /// Reads or sets a relationship for an accessor, which can't throw errors.
    ///
    /// - Returns: The result of `body`, or `nil` if `body` threw an error. The error is recorded and reported as an issue.
    @discardableResult
    func fault<Result>(
        _ state: ObjectState,
        _ relationship: ResolvedRelationship,
        _ body: () throws -> Result
    ) -> Result? {
        let earlier = failure
        failure = nil
        defer { failure = earlier ?? failure }
        do {
            let result = try body()
            faults.forget(relationship, of: state.entity)
            return result
        } catch {
            let isNews = faults.note(relationship, of: state.entity, error)
            faultFailed(state, relationship, error, isNews: isNews)
            return nil
        }
    }
}

extension ObjectContext {
    /// Updates an object's state from its row, creating the state if needed.
    private func register(
        _ entity: ResolvedEntity,
        _ table: ObjectTable,
        _ rowID: Int64,
        _ place: RowPlace
    ) -> ObjectState {
        let state = table.state(in: rowID) {
            ObjectState(entity: entity, rowID: rowID, context: self, status: .stored)
        }
        state.round = round
        state.read(place)
        return state
    }

    func make(_ entity: ResolvedEntity, _ rowID: Int64) -> ObjectState {
        tables[entity.index].state(in: rowID) {
            let state = ObjectState(entity: entity, rowID: rowID, context: self, status: .inserted)
            state.round = round
            return state
        }
    }

    /// Runs a query and registers its rows as one fetch group.
    ///
    /// Relationships are read for all objects of the group at once. The column at index `first` contains the row id and is
    /// followed by the entity's columns.
    func register(
        _ entity: ResolvedEntity,
        _ sql: String,
        _ values: [ColumnValue],
        after first: Int = 0,
        _ note: (PreparedStatement, Int64) -> Void = { _, _ in }
    ) throws -> [ObjectState] {
        let group = FetchGroup()
        let count = entity.columns.count
        let table = tables[entity.index]
        var packer = RowPacker(columns: count, group: group)
        let states = try query(sql, values) { statement in
            let rowID = statement.integer(at: first)
            group.append(rowID)
            note(statement, rowID)
            return register(entity, table, rowID, statement.pack(&packer, from: first + 1, count: count))
        }
        packer.seal()
        return states
    }

    /// Runs the query `rows`, and returns its objects in the order of the query `ids`.
    ///
    /// The rows are read in id order, which places the objects close together in memory.
    func register(
        _ entity: ResolvedEntity,
        rows: String,
        inOrderOf ids: String,
        _ values: [ColumnValue]
    ) throws -> [ObjectState] {
        let group = FetchGroup()
        let count = entity.columns.count
        let table = tables[entity.index]
        var packer = RowPacker(columns: count, group: group)
        let order = try reading([ids, rows]) { statements in
            let order = try statements.integers(ids, values)
            for id in order { group.append(id) }
            // The states are retained here until they are in the requested order.
            let states = try statements.rows(rows) { statement in
                register(entity, table, statement.integer(at: 0), statement.pack(&packer, from: 1, count: count))
            }
            return withExtendedLifetime(states) { order.compactMap { table[$0] } }
        }
        packer.seal()
        return order
    }

    /// Creates a placeholder for a required related object that could not be read.
    func placeholder(_ entity: ResolvedEntity) -> ObjectState {
        ObjectState(entity: entity, rowID: 0, context: self, status: .placeholder)
    }

    /// Adds a state to the list of objects that may have changed.
    func list(_ state: ObjectState) {
        guard !state.isListed else { return }
        state.isListed = true
        listed[state.entity.index].append(state)
    }

    /// Releases objects that only the context references, if the context holds many objects.
    ///
    /// The view's context keeps objects that were used since the last call. A writer's context releases objects only after a save.
    func sweep(afterSave: Bool = false) {
        guard isWritable == afterSave, tables.reduce(0, { $0 + $1.count }) > sweepThreshold else { return }
        for table in tables {
            let instances = table.removeUnused { afterSave || $0.round != round }
            if gate != nil { heldInstances += instances }
        }
        round &+= 1
        sweepThreshold = max(4_096, 2 * tables.reduce(0) { $0 + $1.count })
    }
}
#endif
