#if Objects
internal import Foundation
internal import LarderCore

/// Objects, each at most once, and what was changed in them: what `NSManagedObjectContext` is to Core Data.
///
/// The writer's context lives as long as one `performAndSave` and stays on its thread. The view's context has a gate:
/// whoever reads it, on whatever thread, goes through one at a time, and so does the merge of what was saved.
final class ObjectContext {
    let model: ResolvedModel
    let isWritable: Bool
    let issues: IssueChannel
    let path: String
    let queries: QueryCounter
    let health: DatabaseHealth
    private let gate: NSRecursiveLock?
    /// Whether several threads may use this context, one at a time.
    var isShared: Bool { gate != nil }
    /// How often the thread that is in the gate went through it.
    private var gateDepth = 0
    /// What is reported when that thread has left the gate: whoever handles an issue may use any storage.
    private var heldIssues: [LarderIssue] = []
    /// What is released when that thread has left the gate: so may a deinitializer.
    private var heldInstances: [AnyObject] = []
    /// `nil` after the context has ended.
    var source: (any RowSource)?
    /// Gives the next id; `nil` after the context has ended, since it may hold statements of the connection.
    private var makeRowID: (() throws -> Int64)?
    /// Why a relationship could not be read.
    ///
    /// In the view the next read throws it. In a writer every later read and save does: what the work computed from the relationship may
    /// be wrong.
    var failure: (any Error)?
    var faults = FaultReports()
    /// Whether SQLite has undone the transaction that the work is in: nothing is read or written any more.
    private var isAbandoned = false
    /// The objects there are, by entity and row.
    let tables: [ObjectTable]
    /// What may have changed, by entity, in the order it first did.
    var listed: [[ObjectState]]
    var links = LinkChanges()
    var saved: RowChanges
    /// The entities that what was read depends on, where somebody wants to know.
    var region: Set<Int>?
    /// In debug builds, counts queries of one shape, as of a fetch in a loop; only where work has an end.
    var watchedRepetitions: RepeatedQueries?
    private(set) var round: UInt8 = 0
    /// How many objects were inserted since the last save in passing, and after how many there is another.
    var unsavedInsertions = 0
    var insertionLimit = ObjectContext.insertionsInMemory
    static let insertionsInMemory = 100_000
    /// Whether something was written since the last save that the caller asked for.
    var wasWrittenInPassing = false
    /// Whether work goes on that tells changed objects from others, so that nothing is saved in passing.
    var isComparing = false
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
        nextRowID: @escaping () throws -> Int64
    ) {
        self.model = model
        self.source = source
        self.isWritable = isWritable
        self.issues = issues
        self.path = path
        self.queries = queries
        self.health = health
        makeRowID = nextRowID
        gate = isWritable ? nil : NSRecursiveLock()
        tables = model.entities.map { _ in ObjectTable() }
        saved = RowChanges(entities: model.entities.count)
        listed = Array(repeating: [], count: model.entities.count)
    }

    /// Runs `body` while no other thread is in this context.
    ///
    /// No caller's code may run in `body`: it may wait for a thread that waits for the gate.
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

    /// Breaks the cycle of a state that was taken out of its table and its instance, which is released outside the gate.
    func release(_ state: ObjectState) {
        guard let instance = state.object else { return }
        state.object = nil
        if gate != nil { heldInstances.append(instance) }
    }

    /// Reports an issue, outside the gate.
    func report(_ issue: LarderIssue) {
        if gate == nil { return issues.report(issue) }
        exclusively { heldIssues.append(issue) }
    }

    /// Ends the context: its objects keep their values, and nothing can be read or changed any more.
    ///
    /// - Returns: What held the objects; they are let go with it, which takes its time.
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

    /// The entity of a class; most often it is that of the last one that was asked for.
    func entity(of type: any Object.Type) throws -> ResolvedEntity {
        if let lastEntity, lastEntity.type == type { return lastEntity }
        let entity = try model.entity(of: type)
        lastEntity = entity
        return entity
    }

    /// What to read from.
    ///
    /// - Throws: What an earlier fault failed with, or ``ObjectError`` of code `expired`.
    func openSource() throws -> any RowSource {
        if isAbandoned {
            throw ObjectError(
                .database,
                "SQLite undid everything when it could not write, so nothing more can be done in this performAndSave: "
                    + "let the error pass, and begin another.",
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

    /// Whether ``openSource()`` would give one.
    var isOpen: Bool { source != nil && failure == nil && !isAbandoned }

    /// The id of a new object.
    func nextRowID() throws -> Int64 {
        guard let makeRowID else { throw Self.expired }
        return try makeRowID()
    }

    static var expired: ObjectError {
        ObjectError(
            .expired,
            "The storage was used after the closure it was given to had ended, or after the manager was closed: "
                + "use it inside, and let it go."
        )
    }

    /// Says that SQLite has undone the transaction.
    func abandon() { isAbandoned = true }

    /// Runs one query, and makes something of every row.
    func query<Result>(
        _ sql: String,
        _ values: [ColumnValue] = [],
        _ body: (PreparedStatement) throws -> Result
    ) throws -> [Result] {
        try reading([sql]) { try $0.rows(sql, values, body) }
    }

    /// Runs queries in one state of the database.
    func reading<Result>(_ queries: [String], _ body: (StatementCache) throws -> Result) throws -> Result {
        let source = try openSource()
        for sql in queries {
            self.queries.count(sql)
            noteRepetition(of: sql)
        }
        do {
            return try source.read(body)
        } catch {
            throw health.noting(error, report: report)
        }
    }

    /// Reads or sets a relationship for an accessor, which can't throw.
    ///
    /// An earlier failure does not keep the accessor from reading, and is not made the cause of another.
    ///
    /// - Returns: What `body` returned; `nil` if it threw, which is reported.
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
    /// The object in a row, as it is now, with its row as it was just read.
    ///
    /// The table holds it. Its instance is made when it is asked for: see ``instance(of:)``.
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

    /// A new object that is known to this context.
    func make(_ entity: ResolvedEntity, _ rowID: Int64) -> ObjectState {
        tables[entity.index].state(in: rowID) {
            let state = ObjectState(entity: entity, rowID: rowID, context: self, status: .inserted)
            state.round = round
            return state
        }
    }

    /// The objects in rows of a query, whose columns begin after `first` others; their relationships are read together.
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

    /// The objects of an entity in the order that a query gives their ids in.
    ///
    /// The rows are read in their own order: objects that are made in another one lie all over the memory, and making and releasing
    /// them took more time than a second query.
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
            // Held: nothing else does before all are in their order.
            let states = try statements.rows(rows) { statement in
                register(entity, table, statement.integer(at: 0), statement.pack(&packer, from: 1, count: count))
            }
            return withExtendedLifetime(states) { order.compactMap { table[$0] } }
        }
        packer.seal()
        return order
    }

    /// An object without a row, for a relationship that must lead somewhere and could not be read.
    func placeholder(_ entity: ResolvedEntity) -> ObjectState {
        ObjectState(entity: entity, rowID: 0, context: self, status: .placeholder)
    }

    /// Puts a state on the list of what may have changed.
    func list(_ state: ObjectState) {
        guard !state.isListed else { return }
        state.isListed = true
        listed[state.entity.index].append(state)
    }

    /// Forgets objects that only this context still has, once there are many.
    ///
    /// One that was used since the last round stays for another, so that what was just read for a whole group is there when
    /// the group is walked.
    ///
    /// A writer does so after a save, when nothing is unsaved.
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
