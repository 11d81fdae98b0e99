import Logging
import Synchronization

/// Where the issues of one store go.
///
/// A task that is inside `withIssueHandler(_:operation:)` has its own handler, and nothing else happens.
/// Otherwise each reader of the channel gets the issue, and it is logged at error level.
public final class IssueChannel: Sendable, AsyncSequence {
    /// One issue after another.
    public typealias Element = LarderIssue
    /// Reads the issues from the moment it was made.
    public typealias AsyncIterator = AsyncStream<LarderIssue>.Iterator

    private struct State {
        var readers: [UInt64: AsyncStream<LarderIssue>.Continuation] = [:]
        var nextIdentifier: UInt64 = 0
        /// Channels whose readers get what this one's get.
        var followers: [IssueChannel] = []
    }

    private let state = Mutex(State())
    private let label: String

    /// A channel without readers.
    ///
    /// - Parameter label: What the issues are logged under.
    public init(label: String) { self.label = label }

    /// Hands an issue to whoever listens.
    ///
    /// - Parameter issue: The issue.
    public func report(_ issue: LarderIssue) {
        if let held = IssueHandling.held {
            held.add(issue, to: self)
            return
        }
        if let handler = IssueHandling.handler {
            handler(issue)
            return
        }
        show(issue)
        // Made only now: a program may choose its log after it opened the store.
        Logger(label: label).error("\(issue)")
    }

    private func show(_ issue: LarderIssue) {
        let (readers, followers) = state.withLock { (Array($0.readers.values), $0.followers) }
        for reader in readers { reader.yield(issue) }
        for follower in followers { follower.show(issue) }
    }

    /// Gives the readers of `other` the issues of this channel, too, from now on; they are logged once.
    ///
    /// - Parameter other: One that does not, itself or through others, pass on to this one.
    package func passOn(to other: IssueChannel) { state.withLock { $0.followers.append(other) } }

    /// The issues from now on; the oldest unread ones are dropped beyond 1,024.
    public func makeAsyncIterator() -> AsyncIterator {
        let (stream, continuation) = AsyncStream.makeStream(
            of: LarderIssue.self,
            bufferingPolicy: .bufferingNewest(1_024)
        )
        let identifier = state.withLock { state in
            state.nextIdentifier += 1
            state.readers[state.nextIdentifier] = continuation
            return state.nextIdentifier
        }
        continuation.onTermination = { [weak self] _ in
            // Released outside the lock: unread issues may hold errors of the user's.
            _ = self?.state.withLock { $0.readers.removeValue(forKey: identifier) }
        }
        return stream.makeAsyncIterator()
    }

    /// The channel for issues that belong to no store, such as those of a dropped `Future`.
    public static let shared = IssueChannel(label: "larder")
}

extension IssueChannel {
    /// Carries out `body`, which holds locks, and reports afterwards what it reports: whoever hears of an issue may use any store.
    ///
    /// Threads and Dispatch queues started inside do not inherit it; tasks do.
    package static func holdingBack<Result>(_ body: () throws -> Result) rethrows -> Result {
        let held = HeldIssues()
        defer { held.report() }
        return try IssueHandling.$held.withValue(held, operation: body)
    }
}

/// The issue handler of the task that makes this value, for what the task has done on a thread or queue that does not inherit it.
package struct InheritedIssueHandler: Sendable {
    private let handler = IssueHandling.handler

    /// The handler of the current task, if it has one.
    package init() {}

    /// Carries out `work` with that handler.
    package func during<Result>(_ work: () throws -> Result) rethrows -> Result {
        guard let handler else { return try work() }
        return try IssueHandling.$handler.withValue(handler, operation: work)
    }
}

/// Issues that are to be reported, each through its channel.
final class HeldIssues: Sendable {
    private let issues = Mutex<[(channel: IssueChannel, issue: LarderIssue)]>([])

    func add(_ issue: LarderIssue, to channel: IssueChannel) { issues.withLock { $0.append((channel, issue)) } }

    func report() {
        for (channel, issue) in issues.withLock(\.self) { channel.report(issue) }
    }
}

enum IssueHandling {
    @TaskLocal static var handler: (@Sendable (LarderIssue) -> Void)?
    /// Where issues wait until locks are let go.
    @TaskLocal static var held: HeldIssues?
}

/// Hands every issue that `operation` and its child tasks report to `handler`, instead of to the log.
///
/// Threads and Dispatch queues started inside do not inherit it; tasks do, and so does what Larder runs on its own threads and queues for
/// a call that was made inside.
///
/// - Parameters:
///   - handler: Called where the issue happens, on that thread.
///   - operation: What to run.
/// - Returns: What `operation` returned.
/// - Throws: What `operation` threw.
public func withIssueHandler<Result>(
    _ handler: @escaping @Sendable (LarderIssue) -> Void,
    operation: () throws -> Result
) rethrows -> Result {
    try IssueHandling.$handler.withValue(handler, operation: operation)
}

/// Hands every issue that `operation` and its child tasks report to `handler`, instead of to the log.
///
/// Threads and Dispatch queues started inside do not inherit it; tasks do, and so does what Larder runs on its own threads and queues for
/// a call that was made inside.
///
/// - Parameters:
///   - isolation: The caller's isolation; no hop is made.
///   - handler: Called where the issue happens, on that thread.
///   - operation: What to run.
/// - Returns: What `operation` returned.
/// - Throws: What `operation` threw.
public func withIssueHandler<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ handler: @escaping @Sendable (LarderIssue) -> Void,
    operation: () async throws -> Result
) async rethrows -> Result {
    try await IssueHandling.$handler.withValue(handler, operation: operation, isolation: isolation)
}
