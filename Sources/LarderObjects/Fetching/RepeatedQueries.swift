#if Objects
internal import Foundation
public import LarderCore

/// The source location of a call.
struct CallSite: Sendable {
    let file: StaticString
    let line: UInt
}

/// A counter of repeated queries in one operation, which detects fetches inside a loop.
///
/// Only queries on the thread that created the counter are counted, and only in debug builds.
final class RepeatedQueries {
    /// The number of executions after which a query is reported as repeated.
    private static let limit = 3

    private let thread = Thread.current
    private var counts: [String: Int] = [:]
    /// The name of the outermost call in progress to which queries are attributed, or `nil` if no call is in progress.
    private var call: String?

    /// Whether the current thread is the thread that created the counter.
    var isOfThisThread: Bool { thread === Thread.current }

    /// Runs `body`, and attributes its queries to the named call.
    ///
    /// Queries with an empty call name are not counted.
    func during<Result>(_ call: @autoclosure () -> String, _ body: () throws -> Result) rethrows -> Result {
        guard self.call == nil else { return try body() }
        self.call = call()
        defer { self.call = nil }
        return try body()
    }

    /// Counts an execution of a query.
    ///
    /// - Returns: The issue to report if the query has now reached the limit, otherwise `nil`.
    func note(_ sql: String) -> LarderIssue? {
        guard let call, !call.isEmpty else { return nil }
        counts[sql, default: 0] += 1
        guard counts[sql] == Self.limit else { return nil }
        return LarderIssue(
            .repeatedQuery,
            "\(call) ran the same query \(Self.limit) times in one operation. "
                + "Fetch all objects in one request with .in(...), or prefetch the relationship.",
            key: call
        )
    }
}

extension LarderIssue.Code {
    /// The same query ran several times in one operation, for example because of a fetch inside a loop.
    ///
    /// This issue is reported only in debug builds.
    public static let repeatedQuery = LarderIssue.Code("repeatedQuery")
}

extension StorageType {
    /// Runs `body` without counting its queries as repeated.
    package func withoutCountingQueries<Result>(_ body: () throws -> Result) rethrows -> Result {
        let context = (self as? ViewContext)?.context ?? (self as? WriterStorage)?.context
        guard let context else { return try body() }
        return try context.withoutCounting(body)
    }
}

extension ObjectContext {
    /// Starts counting repeated queries on the current thread.
    ///
    /// In release builds, the method has no effect.
    func watchRepetitions() {
        #if DEBUG
        watchedRepetitions = RepeatedQueries()
        #endif
    }

    /// Stops counting repeated queries.
    func ignoreRepetitions() { watchedRepetitions = nil }

    /// The counter of repeated queries, or `nil` if nothing is counted or another thread created the counter.
    private var repetitions: RepeatedQueries? {
        guard let watchedRepetitions, watchedRepetitions.isOfThisThread else { return nil }
        return watchedRepetitions
    }

    /// Counts an execution of a query, and reports an issue if the query is repeated.
    func noteRepetition(of sql: String) {
        guard let issue = repetitions?.note(sql) else { return }
        queries.meter.noteRepetition(issue.key ?? "", sql)
        report(issue)
    }

    /// Runs `body`, and attributes its queries to the named call, for the warning about repeated queries.
    func during<Result>(_ call: @autoclosure () -> String, _ body: () throws -> Result) rethrows -> Result {
        guard let repetitions else { return try body() }
        return try repetitions.during(call(), body)
    }

    func withoutCounting<Result>(_ body: () throws -> Result) rethrows -> Result {
        // `body` runs without holding the context's lock, because it includes client code.
        guard let repetitions = exclusively({ repetitions }) else { return try body() }
        return try repetitions.during("", body)
    }

    static func name(_ call: String, _ type: any Object.Type, _ site: CallSite?) -> String {
        let place = site.map { " at \($0.file):\($0.line)" } ?? ""
        return "\(call)(ofType: \(type.entityName).self)\(place)"
    }
}
#endif
