#if Postgres
internal import LarderCore
internal import LarderFiles
internal import Synchronization

/// A connection with a queue of calls, which run one after the other on a background thread.
///
/// The connection is opened by the first call, and again by the first call after it was lost. No thread is used while there are no calls.
final class PostgresLane: Sendable {
    private struct State {
        var jobs = Queue<any PostgresJob>()
        /// Whether a thread runs the jobs.
        var isServed = false
        /// The connection, while no thread runs jobs.
        var session: PostgresSession?
    }

    private let connector: PostgresConnector
    /// Whether a connection of this lane may create the store.
    private let createsStore: Bool
    private let state = Mutex(State())

    init(_ connector: PostgresConnector, createsStore: Bool = false) {
        self.connector = connector
        self.createsStore = createsStore
    }

    /// Runs a call on the connection, after the earlier ones.
    ///
    /// A call that is canceled ends immediately: with `CancellationError` before it has begun, and with the result of `abandoned` afterwards.
    /// Its statement keeps the connection busy until the server has answered, so a hung server costs one connection and not many.
    ///
    /// - Parameters:
    ///   - abandoned: The result if the call is canceled while its statements are under way.
    ///   - body: A closure that calls the server and may block.
    /// - Returns: The result of `body` or `abandoned`.
    /// - Throws: ``PostgresError`` if no connection can be made, or the error of `body`.
    func run<Value: Sendable>(
        abandoned: @escaping @Sendable () throws -> Value = { throw CancellationError() },
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws -> Value {
        let call = PostgresCall(body: body, abandoned: abandoned)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard call.wait(with: continuation) else { return }
                add(call)
            }
        } onCancel: {
            call.cancel()
        }
    }

    /// Runs a call on the connection after the earlier ones, without waiting for it and ignoring its errors.
    ///
    /// - Parameter body: A closure that calls the server and may block.
    func post(_ body: @escaping @Sendable (PostgresSession) throws -> Void) { add(PostedCall(body: body)) }

    private func add(_ job: any PostgresJob) {
        let isServed = state.withLock { state in
            state.jobs.append(job)
            defer { state.isServed = true }
            return state.isServed
        }
        guard !isServed else { return }
        do { try BackgroundThreads.shared.run { self.serve() } } catch { failAll(error) }
    }

    /// Runs all jobs in the queue.
    private func serve() {
        var session = state.withLock { state in
            defer { state.session = nil }
            return state.session
        }
        while let job = next(orKeep: session) {
            guard job.isNeeded else { continue }
            if session?.connection.hasEnded() ?? true { session = nil }
            do {
                let usable = try session ?? connector.connect(createsStore: createsStore)
                session = usable
                job.perform(usable)
                if usable.connection.isBroken { session = nil }
            } catch {
                session = nil
                job.fail(error)
                failAll(error, keepsServing: true)
            }
        }
    }

    private func next(orKeep session: PostgresSession?) -> (any PostgresJob)? {
        state.withLock { state in
            if let job = state.jobs.popFirst() { return job }
            state.isServed = false
            state.session = session
            return nil
        }
    }

    /// Ends all jobs in the queue with an error, because each would wait for another attempt to connect.
    private func failAll(_ error: any Error, keepsServing: Bool = false) {
        let jobs = state.withLock { state in
            if !keepsServing { state.isServed = false }
            defer { state.jobs = Queue() }
            return state.jobs
        }
        var rest = jobs
        while let job = rest.popFirst() { job.fail(error) }
    }
}
#endif
