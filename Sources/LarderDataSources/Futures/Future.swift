public import LarderCore

/// The outcome of a data source's work: a value, or the error that came instead.
///
/// A future of a local source is already settled: the work has happened when the call returns, closures run at once on the
/// caller's thread, and a settled value costs no allocation. Other futures settle later; closures then run on the thread that
/// settles them, outside every lock. Any number of listeners may be added, at any time; each runs exactly once. Nothing about a
/// future traps: a chain of any length is settled, cancelled and released on the stack of one link.
///
/// **Recursion** in a caller's own closures uses the stack, as everywhere. A function that calls itself in `flatMap` or `recover`
/// of futures that are settled gets some 13,000 levels deep on a stack of 8 MB and 800 on one of 512 KB, in a release build. Write a
/// loop instead:
///
/// ```swift
/// func last(of pages: PageSource) -> Future<Page> {              // recursion: one level for each page
///     pages.next().flatMap { page in page.isLast ? Future(page) : last(of: pages) }
/// }
///
/// func last(of pages: PageSource) async throws -> Page {         // a loop: any number of pages
///     while true {
///         let page = try await pages.next().value
///         if page.isLast { return page }
///     }
/// }
/// ```
///
/// A listener that settles another future through its resolver, which has such a listener, nests as well: to some 17,000 levels on 8 MB and
/// 1,000 on 512 KB. So does a handler of ``FutureResolver/onCancel(_:)`` that cancels another future: 23,000 and 1,400.
/// ``FutureResolver/set(_:)-(Future<Value>)`` and ``flatMap(_:)`` settle one future by another at any depth, and ``init(priority:async:)``
/// is cancelled at any depth.
///
/// **Cancellation.** ``cancel()`` stops the work behind a pending future and fails it with `CancellationError`. A task that is
/// cancelled while it awaits ``value`` stops waiting; when it was the last one that listened, the work is cancelled too.
/// Whoever only drops a future leaves its work going.
///
/// **A failure nobody looks at** is not lost: when the last copy of a failed future goes without ``fail(_:)``, ``get()``,
/// ``result``, ``value`` or `onCompleteUi` having been used on any copy, the failure is reported as a
/// ``LarderCore/LarderIssue``. `CoreError.NotFound` is the exception: that there is no value is an answer, not a failure. A failure
/// that comes after the future has settled, such as that of work whose reader was cancelled, is dropped.
public struct Future<Value: Sendable>: Sendable {
    @usableFromInline enum Storage: Sendable {
        case value(Value)
        case failure(Failure)
        case pending(PendingFuture<Value>)
    }

    @usableFromInline let storage: Storage

    @usableFromInline init(storage: Storage) { self.storage = storage }

    /// A future that has its value.
    ///
    /// - Parameter value: What ``get()`` returns.
    @inlinable
    public init(_ value: Value) { storage = .value(value) }

    /// A future that failed.
    ///
    /// - Parameter error: What ``get()`` throws.
    public init(error: any Error) { self.init(error: error, reportingTo: .shared) }

    /// A future that failed, whose failure goes to a store's channel when nobody looks at it.
    @usableFromInline
    init(error: any Error, reportingTo issues: IssueChannel) {
        storage = .failure(Failure(error, issues: issues))
    }

    /// Does the work at once and holds what came of it.
    ///
    /// - Parameter work: Run on the caller's thread, before this returns.
    public init(catching work: () throws -> Value) { self.init(reportingTo: .shared, catching: work) }

    /// Does the work at once; a failure nobody looks at goes to a store's channel.
    init(reportingTo issues: @autoclosure () -> IssueChannel, catching work: () throws -> Value) {
        do {
            self.init(try work())
        } catch {
            self.init(error: error, reportingTo: issues())
        }
    }

    /// Runs a closure with the value, if there is one.
    ///
    /// - Parameter success: Called once at most, on the thread that settles the future; for a settled one that is the caller's,
    ///   before this returns.
    /// - Returns: This future, to add more.
    @discardableResult
    public func then(_ success: @escaping @Sendable (Value) -> Void) -> Future<Value> {
        switch storage {
        case .value(let value): success(value)
        case .failure: break
        case .pending(let pending): pending.listen { if case .value(let value) = $0 { success(value) } }
        }
        return self
    }

    /// Runs a closure with the error, if there is one.
    ///
    /// - Parameter failure: Called once at most, on the thread that settles the future; for a settled one that is the caller's,
    ///   before this returns.
    /// - Returns: This future, to add more.
    @discardableResult
    public func fail(_ failure: @escaping @Sendable (any Error) -> Void) -> Future<Value> {
        switch storage {
        case .value: break
        case .failure(let failed): failure(failed.takeError())
        case .pending(let pending): pending.listen { if case .failure(let failed) = $0 { failure(failed.takeError()) } }
        }
        return self
    }

    /// Stops the work behind a future that has not settled, which then fails with `CancellationError`; otherwise does nothing.
    ///
    /// Every copy is cancelled with it.
    public func cancel() {
        if case .pending(let pending) = storage { pending.cancel() }
    }

    /// How it settled, or `nil` while it has not.
    var outcome: FutureOutcome<Value>? {
        switch storage {
        case .value(let value): .value(value)
        case .failure(let failure): .failure(failure)
        case .pending(let pending): pending.outcome
        }
    }

    /// Whether the outcome is there: ``get()`` would not wait.
    public var isSettled: Bool { outcome != nil }
}
