public import LarderCore

/// A source for trying things out: it tells of every call, and makes calls late or fail on purpose.
public struct DebugDataSource<Source: DataSource>: DataSource {
    private let source: Source
    private let trouble: DebugTrouble
    private let time: any TimeSource
    private let report: @Sendable (DebugEvent) -> Void

    /// A source that tells of every call.
    ///
    /// - Parameters:
    ///   - source: What is asked.
    ///   - trouble: What is done to calls on purpose.
    ///   - time: What delays and durations are measured with.
    ///   - report: Called once for each call, where it ends, outside every lock.
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
        let described = (query as? any StorageQuery).map { "\($0.selection)" } ?? "\(type(of: query))"
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
    /// Reads one value.
    public func get(_ query: Source.GetQuery) -> Future<Source.T> {
        called("get", query) { [source] in source.get(query) }
    }
    /// Reads a list.
    public func getAll(_ query: Source.GetAllQuery) -> Future<[Source.T]> {
        called("getAll", query) { [source] in source.getAll(query) }
    }
}

extension DebugDataSource: PutDataSource where Source: PutDataSource {
    /// Writes one value.
    @discardableResult
    public func put(_ value: Source.T?, in query: Source.PutQuery) -> Future<Source.T> {
        called("put", query) { [source] in source.put(value, in: query) }
    }
    /// Writes a list.
    @discardableResult
    public func putAll(_ values: [Source.T], in query: Source.PutAllQuery) -> Future<[Source.T]> {
        called("putAll", query) { [source] in source.putAll(values, in: query) }
    }
}

extension DebugDataSource: DeleteDataSource where Source: DeleteDataSource {
    /// Deletes.
    @discardableResult
    public func delete(_ query: Source.DeleteQuery) -> Future<Void> {
        called("delete", query) { [source] in source.delete(query) }
    }
}

extension DebugDataSource: UpdateDataSource where Source: UpdateDataSource {
    /// Changes one value in one step.
    @discardableResult
    public func update(
        _ query: Source.UpdateQuery,
        _ change: @escaping @Sendable (inout Source.T?) throws -> Void
    ) -> Future<Source.T?> {
        called("update", query) { [source] in source.update(query, change) }
    }
}

extension DebugDataSource: EntriesDataSource where Source: EntriesDataSource {
    /// Every single value with its key.
    public func entries() -> Future<[DataSourceEntry<Source.T>]> {
        called("entries", AllObjectsQuery()) { [source] in source.entries() }
    }
}

extension DebugDataSource: ObservableDataSource where Source: ObservableDataSource {
    /// What changes from now on; not told of.
    public func changes(for query: any StorageQuery) throws -> DataSourceChanges<Source.T> {
        try source.changes(for: query)
    }
}

/// One call of a ``DebugDataSource`` that has ended.
public struct DebugEvent: Sendable, CustomStringConvertible {
    /// The name of the verb, such as `getAll`.
    public let verb: String
    /// What was asked for.
    public let query: String
    /// How long it took, the delay included.
    public let duration: Duration
    /// Why it failed; `nil` when it did not.
    public let error: (any Error)?

    /// The call on one line.
    public var description: String {
        "\(verb) \(query) took \(duration)" + (error.map { " and failed: \($0)" } ?? "")
    }
}

/// What a ``DebugDataSource`` does to calls on purpose.
public struct DebugTrouble: Sendable {
    let delay: @Sendable () -> Duration
    let error: @Sendable () -> (any Error)?

    /// No trouble.
    public static var none: DebugTrouble { DebugTrouble() }

    /// Calls that are late or fail.
    ///
    /// - Parameters:
    ///   - delay: How long each call waits before the source is asked; asked for each call. Zero does not wait.
    ///   - error: What a call fails with instead of asking the source; asked for each call, `nil` lets it pass.
    public init(
        delay: @escaping @Sendable () -> Duration = { .zero },
        error: @escaping @Sendable () -> (any Error)? = { nil }
    ) {
        self.delay = delay
        self.error = error
    }

    /// Calls that fail by chance.
    ///
    /// - Parameters:
    ///   - probability: From 0, never, to 1, always.
    ///   - error: What they fail with.
    ///   - delay: How long each call waits before the source is asked.
    ///   - random: A number from 0 up to 1, excluded; for tests.
    /// - Returns: The trouble.
    public static func random(
        _ probability: Double,
        error: any Error = CoreError.Failed("A failure on purpose."),
        delay: Duration = .zero,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) -> DebugTrouble {
        DebugTrouble(delay: { delay }, error: { random() < probability ? error : nil })
    }
}

extension DebugDataSource: PlacedDataSource {
    /// Where the source behind it has its values.
    public var storedOrigin: StoredOrigin { .of(source) }
}
