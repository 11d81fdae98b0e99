public import LarderCore

/// The result of an operation, a value or an error, that is available now or later.
///
/// Local data sources return settled futures. The operation is complete when the call returns, closures run immediately on the caller's
/// thread, and a settled value costs no allocation. Other futures settle later. Their closures run on the thread that settles them, outside
/// all locks. Any number of listeners can be added at any time. Each listener runs exactly once. Chains of any length settle, cancel and
/// deallocate with constant stack space.
///
/// **Cancellation.** ``cancel()`` stops the work behind a pending future and fails the future with `CancellationError`. A task that is
/// cancelled while it awaits ``value`` stops waiting. If the task was the last listener, the work is cancelled. Releasing a future does not
/// cancel its work.
///
/// **Unhandled errors** are reported. When the last copy of a failed future is released before ``fail(_:)``, ``get()``, ``result``,
/// ``value`` or `onCompleteUi` was used on any copy, the error is reported as a `LarderIssue`. `CoreError.NotFound` is not
/// reported. An error that arrives after the future has settled is dropped, for example if a reader was cancelled and its work fails later.
///
/// **Recursion** in your own closures uses the stack. A function that calls itself in `flatMap` or `recover` of settled futures can recurse
/// about 13,000 levels deep on an 8 MB stack, or 800 levels on a 512 KB stack, in a release build. Write a loop instead:
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
/// A listener that settles another future through its resolver also uses the stack (about 17,000 levels on 8 MB, 1,000 on 512 KB), as does
/// a ``FutureResolver/onCancel(_:)`` handler that cancels another future (23,000 and 1,400). ``FutureResolver/set(_:)-(Future<Value>)`` and
/// ``flatMap(_:)`` have no depth limit, nor does the cancellation of futures of ``init(priority:async:)``.
public struct Future<Value: Sendable>: Sendable {
    @usableFromInline enum Storage: Sendable {
        case value(Value)
        case failure(Failure)
        case pending(PendingFuture<Value>)
    }

    @usableFromInline let storage: Storage

    @usableFromInline init(storage: Storage) { self.storage = storage }

    /// Creates a future that has succeeded.
    ///
    /// - Parameter value: The value that ``get()`` returns.
    @inlinable
    public init(_ value: Value) { storage = .value(value) }

    /// Creates a future that has failed.
    ///
    /// - Parameter error: The error that ``get()`` throws.
    public init(error: any Error) { self.init(error: error, reportingTo: .shared) }

    /// Creates a future that has failed, and reports `error` to `issues` if the error is never handled.
    @usableFromInline
    init(error: any Error, reportingTo issues: IssueChannel) {
        storage = .failure(Failure(error, issues: issues))
    }

    /// Runs a closure and creates a settled future with its result.
    ///
    /// - Parameter work: A closure that runs on the caller's thread before this initializer returns. If the closure throws, the future
    ///   fails with that error.
    public init(catching work: () throws -> Value) { self.init(reportingTo: .shared, catching: work) }

    /// Runs `work` and creates a settled future with its result.
    ///
    /// If `work` throws and the error is never handled, the error is reported to `issues`.
    init(reportingTo issues: @autoclosure () -> IssueChannel, catching work: () throws -> Value) {
        do {
            self.init(try work())
        } catch {
            self.init(error: error, reportingTo: issues())
        }
    }

    /// Calls a closure with the future's value if the future succeeds.
    ///
    /// - Parameter success: A closure that runs once if the future succeeds, on the thread that settles the future. If the future has
    ///   already settled, the closure runs on the caller's thread, before this method returns.
    /// - Returns: This future, for chaining.
    @discardableResult
    public func then(_ success: @escaping @Sendable (Value) -> Void) -> Future<Value> {
        switch storage {
        case .value(let value): success(value)
        case .failure: break
        case .pending(let pending): pending.listen { if case .value(let value) = $0 { success(value) } }
        }
        return self
    }

    /// Calls a closure with the future's error if the future fails.
    ///
    /// The error is marked as handled.
    ///
    /// - Parameter failure: A closure that runs once if the future fails, on the thread that settles the future. If the future has
    ///   already settled, the closure runs on the caller's thread, before this method returns.
    /// - Returns: This future, for chaining.
    @discardableResult
    public func fail(_ failure: @escaping @Sendable (any Error) -> Void) -> Future<Value> {
        switch storage {
        case .value: break
        case .failure(let failed): failure(failed.takeError())
        case .pending(let pending): pending.listen { if case .failure(let failed) = $0 { failure(failed.takeError()) } }
        }
        return self
    }

    /// Cancels the work of a pending future, and fails the future with `CancellationError`.
    ///
    /// Cancels all copies of the future. Has no effect if the future has settled.
    public func cancel() {
        if case .pending(let pending) = storage { pending.cancel() }
    }

    /// The value or error with which the future has settled, or `nil` if the future is pending.
    var outcome: FutureOutcome<Value>? {
        switch storage {
        case .value(let value): .value(value)
        case .failure(let failure): .failure(failure)
        case .pending(let pending): pending.outcome
        }
    }

    /// Whether the future has settled.
    ///
    /// ``get()`` does not block if this property is `true`.
    public var isSettled: Bool { outcome != nil }
}
