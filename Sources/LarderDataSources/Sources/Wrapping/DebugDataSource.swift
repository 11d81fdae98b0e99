public import LarderCore

/// A data source for testing and debugging that wraps another source and logs each call.
///
/// It can also delay calls or make them fail.
public struct DebugDataSource<Source: DataSource>: DataSource {
    private let source: Source
    private let trouble: DebugTrouble
    private let time: any TimeSource
    private let report: @Sendable (DebugEvent) -> Void

    /// Creates a source that reports each call.
    ///
    /// - Parameters:
    ///   - source: The source to call.
    ///   - trouble: The delays and failures to inject.
    ///   - time: The clock that delays calls and measures their durations.
    ///   - report: A closure that runs once for each call, when the call ends. It runs outside all locks.
    public init(
        _ source: Source,
        trouble: DebugTrouble = .none,
        time: any TimeSource = .system,
        report: @escaping @Sendable (DebugEvent) -> Void
    ) {
        self.source = source
        self.trouble = trouble
        self.time = time
        self.report = report
    }

    private func called<Value: Sendable>(
        _ verb: String,
        _ query: Any,
        _ ask: @escaping @Sendable () -> Future<Value>
    ) -> Future<Value> {
        let began = time.monotonic
        let described = (query as? any StoreQuery).map { "\($0.selection)" } ?? "\(type(of: query))"
        let delay = trouble.delay()
        let asked: Future<Value>
        if let error = trouble.error() {
            asked = waited(delay).flatMap { _ in throw error }
        } else {
            asked = delay > .zero ? waited(delay).flatMap(ask) : ask()
        }
        return asked.transformed { [report, time] outcome in
            let error: (any Error)? = if case .failure(let failure) = outcome { failure.error } else { nil }
            report(DebugEvent(verb: verb, query: described, duration: time.monotonic - began, error: error))
            return outcome
        }
    }

    private func waited(_ delay: Duration) -> Future<Void> {
        guard delay > .zero else { return Future(()) }
        return Future(async: { [time] in try await time.sleep(for: delay) })
    }
}

extension DebugDataSource: GetDataSource where Source: GetDataSource {
    /// Reads a value from the underlying source and reports the call.
    public func get(_ query: Source.GetQuery) -> Future<Source.T> {
        called("get", query) { [source] in source.get(query) }
    }
    /// Reads a list from the underlying source and reports the call.
    public func getAll(_ query: Source.GetAllQuery) -> Future<[Source.T]> {
        called("getAll", query) { [source] in source.getAll(query) }
    }
}

extension DebugDataSource: PutDataSource where Source: PutDataSource {
    /// Writes a value to the underlying source and reports the call.
    @discardableResult
    public func put(_ value: Source.T?, in query: Source.PutQuery) -> Future<Source.T> {
        called("put", query) { [source] in source.put(value, in: query) }
    }
    /// Writes a list to the underlying source and reports the call.
    @discardableResult
    public func putAll(_ values: [Source.T], in query: Source.PutAllQuery) -> Future<[Source.T]> {
        called("putAll", query) { [source] in source.putAll(values, in: query) }
    }
}

extension DebugDataSource: DeleteDataSource where Source: DeleteDataSource {
    /// Deletes values from the underlying source and reports the call.
    @discardableResult
    public func delete(_ query: Source.DeleteQuery) -> Future<Void> {
        called("delete", query) { [source] in source.delete(query) }
    }
}

extension DebugDataSource: UpdateDataSource where Source: UpdateDataSource {
    /// Changes a value in the underlying source atomically and reports the call.
    @discardableResult
    public func update(
        _ query: Source.UpdateQuery,
        _ change: @escaping @Sendable (inout Source.T?) throws -> Void
    ) -> Future<Source.T?> {
        called("update", query) { [source] in source.update(query, change) }
    }
}

extension DebugDataSource: EntriesDataSource where Source: EntriesDataSource {
    /// Returns all values of the underlying source except lists, with their keys, and reports the call.
    public func entries() -> Future<[DataSourceEntry<Source.T>]> {
        called("entries", AllObjectsQuery()) { [source] in source.entries() }
    }
}

extension DebugDataSource: ObservableDataSource where Source: ObservableDataSource {
    /// Returns the changes that the underlying source reports.
    ///
    /// Calls of this method are not reported.
    public func changes(for query: any StoreQuery) throws -> DataSourceChanges<Source.T> {
        try source.changes(for: query)
    }
}

/// A completed call to a ``DebugDataSource``.
public struct DebugEvent: Sendable, CustomStringConvertible {
    /// The name of the called method, such as `getAll`.
    public let verb: String
    /// The keys that the query selects, or the query's type if it does not select keys.
    public let query: String
    /// The duration of the call, including the delay.
    public let duration: Duration
    /// The error with which the call failed, or `nil` if it succeeded.
    public let error: (any Error)?

    /// A one-line description of the call.
    public var description: String {
        "\(verb) \(query) took \(duration)" + (error.map { " and failed: \($0)" } ?? "")
    }
}

/// The delays and failures that a ``DebugDataSource`` injects.
public struct DebugTrouble: Sendable {
    let delay: @Sendable () -> Duration
    let error: @Sendable () -> (any Error)?

    /// A value that injects no delays and no failures.
    public static var none: DebugTrouble { DebugTrouble() }

    /// Creates a value that injects delays and failures.
    ///
    /// - Parameters:
    ///   - delay: A closure that returns the delay before the source is called, or zero for no delay. It runs once for each call.
    ///   - error: A closure that returns an error for the call to fail with, or `nil` to call the source. It runs once for each call.
    public init(
        delay: @escaping @Sendable () -> Duration = { .zero },
        error: @escaping @Sendable () -> (any Error)? = { nil }
    ) {
        self.delay = delay
        self.error = error
    }

    /// Returns a value that injects failures at random.
    ///
    /// - Parameters:
    ///   - probability: The probability of a failure, from 0 (never) to 1 (always).
    ///   - error: The error with which a call fails.
    ///   - delay: The delay before the source is called.
    ///   - random: A closure that returns a number from 0 up to but not including 1. Tests can pass their own generator.
    /// - Returns: A value to pass to a ``DebugDataSource``.
    public static func random(
        _ probability: Double,
        error: any Error = CoreError.Failed(
            "`DebugDataSource` made this call fail on purpose. Remove `DebugDataSource` to call the source directly."
        ),
        delay: Duration = .zero,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) -> DebugTrouble {
        DebugTrouble(delay: { delay }, error: { random() < probability ? error : nil })
    }
}

extension DebugDataSource: PlacedDataSource {
    /// The storage location that the underlying source reports for its values.
    public var storedOrigin: StoredOrigin { .of(source) }
}
