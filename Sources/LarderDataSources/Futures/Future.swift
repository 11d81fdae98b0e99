import LarderCore

/// The outcome of a data source's work: a value, or the error that came instead.
///
/// A future of a local source is already settled: the work has happened when the call returns, closures run at once on the
/// caller's thread, and a settled value costs no allocation. Any number of listeners may be added, at any time; each runs
/// exactly once. Nothing about a future traps.
///
/// **A failure nobody looks at** is not lost: when the last copy of a failed future goes without ``fail(_:)``, ``get()``,
/// ``result``, ``value`` or `onCompleteUi` having been used on any copy, the failure is reported as a
/// ``LarderCore/LarderIssue``. `CoreError.NotFound` is the exception: that there is no value is an answer, not a failure.
public struct Future<Value> {
    // A case for futures that settle later joins these two.
    fileprivate enum Storage {
        case value(Value)
        case failure(Failure)
    }

    private let storage: Storage

    /// A future that has its value.
    ///
    /// - Parameter value: What ``get()`` returns.
    public init(_ value: Value) { storage = .value(value) }

    /// A future that failed.
    ///
    /// - Parameter error: What ``get()`` throws.
    public init(error: any Error) { self.init(error: error, reportingTo: .shared) }

    /// A future that failed, whose failure goes to a store's channel when nobody looks at it.
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
        if case .value(let value) = storage { success(value) }
        return self
    }

    /// Runs a closure with the error, if there is one.
    ///
    /// - Parameter failure: Called once at most, on the thread that settles the future; for a settled one that is the caller's,
    ///   before this returns.
    /// - Returns: This future, to add more.
    @discardableResult
    public func fail(_ failure: @escaping @Sendable (any Error) -> Void) -> Future<Value> {
        if case .failure(let failed) = storage { failure(failed.takeError()) }
        return self
    }

    /// The value, for synchronous code.
    ///
    /// - Returns: The value.
    /// - Throws: The error that came instead of one.
    @available(*, noasync, message: "This call may wait: use `try await future.value`.")
    @discardableResult
    public func get() throws -> Value { try settled.get() }

    /// The value, or the error that came instead, for synchronous code.
    @available(*, noasync, message: "This call may wait: use `try await future.value`.")
    public var result: Result<Value, any Error> { settled }

    /// The value, for asynchronous code.
    ///
    /// Reading it throws the error that came instead of one.
    public var value: Value {
        get async throws { try settled.get() }
    }

    /// The outcome; what listens to it has taken the error upon itself.
    var settled: Result<Value, any Error> {
        switch storage {
        case .value(let value): .success(value)
        case .failure(let failure): .failure(failure.takeError())
        }
    }
}

extension Future: Sendable where Value: Sendable {}
extension Future.Storage: Sendable where Value: Sendable {}

extension Future where Value: Sendable {
    /// Runs one of two closures on the main actor, as an app's user interface wants it.
    ///
    /// Always later, never before this returns, even when it is called on the main actor.
    ///
    /// - Parameters:
    ///   - onSuccess: Called with the value.
    ///   - onFailure: Called with the error.
    /// - Returns: This future, to add more.
    @discardableResult
    public func onCompleteUi(
        onSuccess: @escaping @MainActor @Sendable (Value) -> Void,
        onFailure: @escaping @MainActor @Sendable (any Error) -> Void
    ) -> Future<Value> {
        let outcome = settled
        Task { @MainActor in
            switch outcome {
            case .success(let value): onSuccess(value)
            case .failure(let error): onFailure(error)
            }
        }
        return self
    }
}

extension Future {
    /// A future of what `transform` makes of the value; the error stays the same.
    func map<NewValue>(_ transform: (Value) throws -> NewValue) -> Future<NewValue> {
        switch storage {
        case .value(let value): Future<NewValue> { try transform(value) }
        case .failure(let failure): Future<NewValue>(storage: .failure(failure))
        }
    }

    private init(storage: Storage) { self.storage = storage }
}
