#if Objects
internal import LarderCore
internal import Synchronization

/// The durations of queries and saves, which are measured only while an inspection observes a manager.
///
/// The class is thread-safe. While nothing is observed, a query costs one load of a word.
final class InspectionMeter: Sendable {
    /// The executions of one query.
    struct Query: Sendable {
        var count = 0
        var total = Duration.zero
        var longest = Duration.zero

        mutating func add(_ duration: Duration) {
            count += 1
            total += duration
            longest = max(longest, duration)
        }
    }

    /// A call that ran the same query several times in one operation.
    struct Repetition: Sendable, Hashable {
        let call: String
        let sql: String
    }

    private struct State {
        var queries: [String: Query] = [:]
        var repetitions: [Repetition: Int] = [:]
        /// The durations of the last saves, of which the oldest is replaced.
        var saves: [Duration] = []
        var saveCount = 0
        var queryCount = 0
    }

    /// The maximum number of distinct queries.
    private static let mostQueries = 500
    /// The maximum number of bytes of a query's text.
    private static let longestQuery = 4_000
    /// The number of saves whose durations are known.
    private static let knownSaves = 512

    private let observers = Atomic<Int>(0)
    private let state = Mutex(State())

    /// Whether anything is measured.
    var isActive: Bool { observers.load(ordering: .relaxed) > 0 }

    /// Begins to measure, until ``end()`` is called as often.
    ///
    /// What was measured before is forgotten when the first observer begins.
    func begin() {
        guard observers.add(1, ordering: .relaxed).oldValue == 0 else { return }
        state.withLock { $0 = State() }
    }

    /// Ends what ``begin()`` began, and forgets what was measured when the last observer ends.
    func end() {
        guard observers.subtract(1, ordering: .relaxed).newValue == 0 else { return }
        let former = state.withLock { state in
            defer { if !isActive { state = State() } }
            return state
        }
        // What was measured is released outside of the lock.
        withExtendedLifetime(former) {}
    }

    /// Runs a query, and measures it if anything is measured.
    func measuring<Result>(_ queries: @autoclosure () -> [String], _ body: () throws -> Result) rethrows -> Result {
        guard isActive else { return try body() }
        let start = ContinuousClock.now
        defer { note(queries(), ContinuousClock.now - start) }
        return try body()
    }

    private func note(_ queries: [String], _ duration: Duration) {
        // A group of queries is executed together, so each gets an equal part.
        let part = duration / max(1, queries.count)
        state.withLock { state in
            guard isActive else { return }
            for sql in queries {
                state.queryCount += 1
                let key = sql.utf8.count > Self.longestQuery ? String(sql.prefix(Self.longestQuery)) + "…" : sql
                guard state.queries[key] != nil || state.queries.count < Self.mostQueries else { continue }
                state.queries[key, default: Query()].add(part)
            }
        }
    }

    /// Runs a save, and measures it if anything is measured.
    func measuringSave<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard isActive else { return try body() }
        let start = ContinuousClock.now
        let result = try body()
        let duration = ContinuousClock.now - start
        state.withLock { state in
            if state.saves.count < Self.knownSaves {
                state.saves.append(duration)
            } else {
                state.saves[state.saveCount % Self.knownSaves] = duration
            }
            state.saveCount += 1
        }
        return result
    }

    /// Notes that a call ran the same query several times.
    func noteRepetition(_ call: String, _ sql: @autoclosure () -> String) {
        guard isActive else { return }
        let repetition = Repetition(call: call, sql: String(sql().prefix(Self.longestQuery)))
        state.withLock { state in
            guard state.repetitions[repetition] != nil || state.repetitions.count < Self.mostQueries else { return }
            state.repetitions[repetition, default: 0] += 1
        }
    }

    // MARK: Reports

    /// The numbers of saves and queries, and the durations of saves, since the first observer began.
    var statistics: [InspectionStatistic] {
        guard isActive else { return [] }
        let (saves, saveCount, queryCount) = state.withLock { ($0.saves.sorted(), $0.saveCount, $0.queryCount) }
        func percentile(_ part: Double) -> Double {
            saves.isEmpty ? 0 : saves[min(saves.count - 1, Int(part * Double(saves.count)))] / .seconds(1)
        }
        return [
            InspectionStatistic("saves of this program", Double(saveCount), .counter),
            InspectionStatistic("queries", Double(queryCount), .counter),
            InspectionStatistic("save, median", percentile(0.5), .gauge, .seconds),
            InspectionStatistic("save, 99th percentile", percentile(0.99), .gauge, .seconds),
        ]
    }

    /// The queries in descending order of their total durations, and the calls that repeated a query.
    var reports: [InspectionReport] {
        let isActive = isActive
        let (queries, repetitions) = state.withLock { ($0.queries, $0.repetitions) }
        let note = isActive ? nil : "Queries are measured only while a page of the inspector shows this database."
        let columns: [InspectionColumn] = [
            .init("query", type: "String"), .init("count", type: "Int"), .init("seconds", type: "Double"),
            .init("longest", type: "Double"),
        ]
        return [
            InspectionReport(
                "Slow queries",
                note: note,
                columns: columns,
                rows: queries.sorted { $0.value.total > $1.value.total }.prefix(100).map { sql, query in
                    [
                        .string(sql), .int(Int64(query.count)), .double(query.total / .seconds(1)),
                        .double(query.longest / .seconds(1)),
                    ]
                }
            ),
            InspectionReport(
                "Repeated queries",
                note: note ?? Self.repetitionNote,
                columns: [
                    .init("call", type: "String"), .init("query", type: "String"), .init("times", type: "Int"),
                ],
                rows: repetitions.sorted { $0.value > $1.value }.prefix(100).map { repetition, count in
                    [.string(repetition.call), .string(repetition.sql), .int(Int64(count))]
                }
            ),
        ]
    }

    private static var repetitionNote: String? {
        #if DEBUG
        return nil
        #else
        return "Repeated queries are noted only in debug builds."
        #endif
    }
}
#endif
