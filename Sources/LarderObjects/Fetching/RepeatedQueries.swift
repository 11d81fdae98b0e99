#if Objects
internal import Foundation
public import LarderCore

/// Where a call stands in the source.
struct CallSite: Sendable {
    let file: StaticString
    let line: UInt
}

/// Counts the queries of one shape in one piece of work, to find the call that should have fetched for all objects at once.
///
/// It counts what the thread asks that makes it, which is the one that does the work: what other threads ask of the view meanwhile is no
/// part of it. Debug builds alone have one.
final class RepeatedQueries {
    /// From how many on a query is one of a loop.
    private static let limit = 3

    private let thread = Thread.current
    private var counts: [String: Int] = [:]
    /// What asked for the query: the outermost call, when one leads to another.
    private var call: String?

    /// Whether this thread does the work.
    var isOfThisThread: Bool { thread === Thread.current }

    /// Runs `body` with the name of the call that it is; what has an empty name is not counted.
    func during<Result>(_ call: @autoclosure () -> String, _ body: () throws -> Result) rethrows -> Result {
        guard self.call == nil else { return try body() }
        self.call = call()
        defer { self.call = nil }
        return try body()
    }

    /// Counts a query.
    ///
    /// - Returns: What to say when it is one too many.
    func note(_ sql: String) -> LarderIssue? {
        guard let call, !call.isEmpty else { return nil }
        counts[sql, default: 0] += 1
        guard counts[sql] == Self.limit else { return nil }
        return LarderIssue(
            .repeatedQuery,
            "\(call) asked the database the same question \(Self.limit) times in one piece of work: "
                + "fetch once for all objects, as with .in(...), prefetch, or a loop over the result.",
            key: call
        )
    }
}

extension LarderIssue.Code {
    /// The same query was made again and again in one piece of work, as by a fetch in a loop; debug builds alone say so.
    public static let repeatedQuery = LarderIssue.Code("repeatedQuery")
}

extension StorageType {
    /// Runs `body`, whose queries do not count as repeated: for tools that ask on behalf of a test.
    package func withoutCountingQueries<Result>(_ body: () throws -> Result) rethrows -> Result {
        let context = (self as? ViewContext)?.context ?? (self as? WriterStorage)?.context
        guard let context else { return try body() }
        return try context.withoutCounting(body)
    }
}

extension ObjectContext {
    /// Begins to count the repeated queries of this thread, in debug builds.
    func watchRepetitions() {
        #if DEBUG
        watchedRepetitions = RepeatedQueries()
        #endif
    }

    /// Ends counting.
    func ignoreRepetitions() { watchedRepetitions = nil }

    /// What counts the queries of this thread, if it does work that is watched.
    private var repetitions: RepeatedQueries? {
        guard let watchedRepetitions, watchedRepetitions.isOfThisThread else { return nil }
        return watchedRepetitions
    }

    /// Counts a query, and reports one that is asked again and again.
    func noteRepetition(of sql: String) {
        if let issue = repetitions?.note(sql) { report(issue) }
    }

    /// Runs `body` with the name of the call that it is, for the warning about repeated queries.
    func during<Result>(_ call: @autoclosure () -> String, _ body: () throws -> Result) rethrows -> Result {
        guard let repetitions else { return try body() }
        return try repetitions.during(call(), body)
    }

    /// Runs `body`, whose queries are not counted.
    func withoutCounting<Result>(_ body: () throws -> Result) rethrows -> Result {
        // Not in the gate while `body` runs: a caller's code is part of it.
        guard let repetitions = exclusively({ repetitions }) else { return try body() }
        return try repetitions.during("", body)
    }

    static func name(_ call: String, _ type: any Object.Type, _ site: CallSite?) -> String {
        let place = site.map { " at \($0.file):\($0.line)" } ?? ""
        return "\(call)(ofType: \(type.entityName).self)\(place)"
    }
}
#endif
