#if Inspector
import LarderCore
import Synchronization

/// An inspected instance with the content that a test gives it.
final class StubInstance: Inspectable {
    /// What the instance answers.
    struct Content {
        var name = "stub"
        var role = InspectionRole.store
        var tables = [
            InspectionTable(name: "entries", columns: [InspectionColumn("value", type: "any", isSortable: true)])
        ]
        var records: [InspectionRecord] = []
        var reports: [InspectionReport] = []
        var statistics: [InspectionStatistic] = []
        var plan: InspectionPlan?
        var actions: [InspectionAction] = []
        var perform: @Sendable (String?, (StoreProgress) throws -> Void) throws -> [InspectionFact] = { _, _ in [] }
        var error: (any Error)?
        /// The errors that the first observations throw.
        var observationErrors: [any Error] = []
        var largestPage = Int.max
        /// Whether a record changes each time that the tables are counted.
        var emitsWhileCounting = false
        /// What each page, and each list of statistics, waits for.
        var wait: @Sendable () -> Void = {}
    }

    private struct State {
        var content: Content
        var queries: [InspectionQuery] = []
        var tableReads = 0
        var observers: [Int: @Sendable (InspectionEvent) -> Void] = [:]
        var nextObserver = 0
    }

    private let state: Mutex<State>
    private let channel = IssueChannel(label: "stub")

    init(_ content: Content = Content()) { state = Mutex(State(content: content)) }

    convenience init(_ body: (inout Content) -> Void) {
        var content = Content()
        body(&content)
        self.init(content)
    }

    private var content: Content { state.withLock(\.content) }
    /// The queries that were asked.
    var queries: [InspectionQuery] { state.withLock(\.queries) }
    /// The number of times that all tables were counted.
    var tableReads: Int { state.withLock(\.tableReads) }
    var observerCount: Int { state.withLock(\.observers.count) }

    func emit(_ event: InspectionEvent) {
        for observer in state.withLock({ Array($0.observers.values) }) { observer(event) }
    }

    func emit(_ key: String, _ value: StoredValue) {
        emit(.changes([InspectionChange(table: "entries", key: key, kind: .updated, new: value)], origin: "test"))
    }

    var inspectionName: String { content.name }
    var inspectionKind: String { "stub store" }
    var inspectionRole: InspectionRole { content.role }
    var inspectionIssues: IssueChannel? { channel }
    var inspectionActions: [InspectionAction] { content.actions }

    func inspectionFacts() throws -> [InspectionFact] {
        if let error = content.error { throw error }
        return [InspectionFact("entries", "\(content.records.count)")]
    }

    func inspectionRows(prefix: String, limit: Int) throws -> [InspectionRow] { [] }

    func inspectionTables() throws -> [InspectionTable] {
        defer { if content.emitsWhileCounting { emit("key", 1) } }
        return state.withLock { state in
            state.tableReads += 1
            return state.content.tables
        }
    }

    func inspectionTable(named name: String) throws -> InspectionTable? {
        content.tables.first { $0.name == name }
    }

    func inspectionPage(_ query: InspectionQuery) throws -> InspectionPage {
        state.withLock { $0.queries.append(query) }
        if query.filter == "wrong" { throw InspectionQueryError("The filter is wrong. Correct it.", at: 2..<5) }
        let content = content
        content.wait()
        if let error = content.error { throw error }
        let records = content.records
        let start = min(records.count, query.after.flatMap { Int($0) } ?? 0)
        let end = min(records.count, start + min(query.limit, content.largestPage))
        return InspectionPage(
            records: Array(records[start..<end]),
            next: end < records.count ? String(end) : nil,
            total: records.count
        )
    }

    func inspectionRecord(_ key: String, in table: String) throws -> InspectionRecord? {
        content.records.first { $0.key == key }
    }

    func inspectionPlan(_ query: InspectionQuery) throws -> InspectionPlan? { content.plan }

    func observeForInspection(_ receive: @escaping @Sendable (InspectionEvent) -> Void) throws -> StoreObservation? {
        let number = try state.withLock { state in
            if !state.content.observationErrors.isEmpty { throw state.content.observationErrors.removeFirst() }
            state.nextObserver += 1
            state.observers[state.nextObserver] = receive
            return state.nextObserver
        }
        return StoreObservation { [weak self] in _ = self?.state.withLock { $0.observers.removeValue(forKey: number) } }
    }

    func inspectionStatistics() throws -> [InspectionStatistic] { content.statistics }

    func inspectionReports() throws -> [InspectionReport] { content.reports }

    @available(*, noasync)
    func perform(
        _ action: InspectionAction,
        writingTo file: String?,
        progress: (StoreProgress) throws -> Void
    ) throws -> [InspectionFact] {
        try content.perform(file, progress)
    }

    func report(_ issue: LarderIssue) { channel.report(issue) }
}
#endif
