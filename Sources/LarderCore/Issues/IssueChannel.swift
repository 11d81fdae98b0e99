import Logging
import Synchronization

/// An asynchronous sequence of the issues that one store reports.
///
/// An issue that is reported inside `withIssueHandler(_:operation:)` is passed only to that handler. Every other issue is passed to all
/// readers of the channel and logged at error level.
public final class IssueChannel: Sendable, AsyncSequence {
    /// The type of the elements that the sequence produces.
    public typealias Element = LarderIssue
    /// An iterator over the issues that are reported after the iterator is created.
    public typealias AsyncIterator = AsyncStream<LarderIssue>.Iterator

    private struct State {
        var readers: [UInt64: AsyncStream<LarderIssue>.Continuation] = [:]
        var nextIdentifier: UInt64 = 0
        /// The channels to whose readers this channel forwards its issues.
        var followers: [IssueChannel] = []
    }

    private let state = Mutex(State())
    private let label: String

    /// Creates a channel without readers.
    ///
    /// - Parameter label: The label of the logger that logs the issues.
    public init(label: String) { self.label = label }

    /// Reports an issue to the current task's handler, or to the channel's readers and the log if the task has no handler.
    ///
    /// - Parameter issue: The issue to report.
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
        // The logger is created for each issue, because a program may configure logging after it has opened the store.
        Logger(label: label).error("\(issue)")
    }

    private func show(_ issue: LarderIssue) {
        let (readers, followers) = state.withLock { (Array($0.readers.values), $0.followers) }
        for reader in readers { reader.yield(issue) }
        for follower in followers { follower.show(issue) }
    }

    /// Forwards all later issues of this channel to the readers of `other`, in addition to this channel's own readers.
    ///
    /// A forwarded issue is logged only once.
    ///
    /// - Parameter other: A channel that does not forward to this one, directly or indirectly.
    package func passOn(to other: IssueChannel) { state.withLock { $0.followers.append(other) } }

    /// Returns an iterator over the issues that are reported after this call.
    ///
    /// The iterator keeps up to 1,024 unread issues. When the limit is exceeded, the oldest issues are dropped.
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
            // Released outside the lock, because unread issues may hold errors of the client.
            _ = self?.state.withLock { $0.readers.removeValue(forKey: identifier) }
        }
        return stream.makeAsyncIterator()
    }

    /// The channel for issues that are not related to a store, such as those of a dropped `Future`.
    public static let shared = IssueChannel(label: "larder")
}

extension IssueChannel {
    /// Runs `body`, and defers the delivery of issues until `body` has returned.
    ///
    /// Use this method for code that holds locks, so that issue handlers may use any store.
    ///
    /// Issues reported by tasks that `body` starts are also deferred. Issues reported on other threads or Dispatch queues are not.
    package static func holdingBack<Result>(_ body: () throws -> Result) rethrows -> Result {
        let held = HeldIssues()
        defer { held.report() }
        return try IssueHandling.$held.withValue(held, operation: body)
    }
}

/// The issue handler of a task, captured for threads and queues that do not inherit the handler.
package struct InheritedIssueHandler: Sendable {
    private let handler = IssueHandling.handler

    /// Captures the issue handler of the current task, if any.
    package init() {}

    package func during<Result>(_ work: () throws -> Result) rethrows -> Result {
        guard let handler else { return try work() }
        return try IssueHandling.$handler.withValue(handler, operation: work)
    }
}

/// A list of deferred issues, each with the channel that reports the issue.
final class HeldIssues: Sendable {
    private let issues = Mutex<[(channel: IssueChannel, issue: LarderIssue)]>([])

    func add(_ issue: LarderIssue, to channel: IssueChannel) { issues.withLock { $0.append((channel, issue)) } }

    func report() {
        for (channel, issue) in issues.withLock(\.self) { channel.report(issue) }
    }
}

enum IssueHandling {
    @TaskLocal static var handler: (@Sendable (LarderIssue) -> Void)?
    /// The deferred issues of the current task, or `nil` if issues are delivered immediately.
    @TaskLocal static var held: HeldIssues?
}

/// Runs `operation`, and passes issues reported by `operation` and its child tasks to `handler` instead of the log.
///
/// Tasks inherit the handler, as does work that Larder performs on its own threads and queues for calls inside `operation`. Other
/// threads and Dispatch queues do not.
///
/// - Parameters:
///   - handler: A closure that is called synchronously on the thread that reports the issue.
///   - operation: The code to run.
/// - Returns: The result of `operation`.
/// - Throws: The error that `operation` throws.
public func withIssueHandler<Result>(
    _ handler: @escaping @Sendable (LarderIssue) -> Void,
    operation: () throws -> Result
) rethrows -> Result {
    try IssueHandling.$handler.withValue(handler, operation: operation)
}

/// Runs `operation`, and passes issues reported by `operation` and its child tasks to `handler` instead of the log.
///
/// Tasks inherit the handler, as does work that Larder performs on its own threads and queues for calls inside `operation`. Other
/// threads and Dispatch queues do not.
///
/// - Parameters:
///   - isolation: The caller's isolation, on which `operation` runs.
///   - handler: A closure that is called synchronously on the thread that reports the issue.
///   - operation: The code to run.
/// - Returns: The result of `operation`.
/// - Throws: The error that `operation` throws.
public func withIssueHandler<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ handler: @escaping @Sendable (LarderIssue) -> Void,
    operation: () async throws -> Result
) async rethrows -> Result {
    try await IssueHandling.$handler.withValue(handler, operation: operation, isolation: isolation)
}
