#if Postgres
internal import LarderFiles
internal import LarderReplication
internal import Synchronization

/// A connection that receives notifications about commits, for the callers that wait for them.
///
/// A notification is only a hint, and the callers read the history afterwards. A thread is used only while there are callers.
final class PostgresListener: Sendable {
    private struct Waiter {
        let position: ReplicationPosition
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var waiters: [UInt64: Waiter] = [:]
        var nextNumber: UInt64 = 0
        /// Whether a thread waits for notifications.
        var isServed = false
        /// The connection, while no thread uses it.
        var session: PostgresSession?
        /// The last position that the server has named.
        var position: ReplicationPosition?
    }

    private let connector: PostgresConnector
    private let state = Mutex(State())

    init(_ connector: PostgresConnector) { self.connector = connector }

    /// Suspends until there may be commits after a position, or until the polling interval is over.
    ///
    /// - Throws: ``PostgresError`` if the server can't be reached, or `CancellationError`.
    func wait(after position: ReplicationPosition) async throws {
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let deadline = ContinuousClock.now + connector.options.pollingInterval
                add(Waiter(position: position, deadline: deadline, continuation: continuation), number)
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func add(_ waiter: Waiter, _ number: UInt64) {
        enum Step { case wait, begin, end }
        let step = state.withLock { state -> Step in
            // A commit may have been announced after the caller has read the history. The hint is used once: it may be forged, or come from a
            // server that was replaced, and the caller would repeat its calls without a pause.
            if let known = state.position, known.revision > waiter.position.revision {
                state.position = nil
                return .end
            }
            state.waiters[number] = waiter
            defer { state.isServed = true }
            return state.isServed ? .wait : .begin
        }
        switch step {
        case .wait: break
        case .end: return waiter.continuation.resume()
        case .begin:
            do { try BackgroundThreads.shared.run { self.serve() } } catch { end(error) }
        }
        // The cancellation handler may have run before the caller was added.
        if Task.isCancelled { resume(.failure(CancellationError())) { key, _ in key == number } }
    }

    /// The time for which a thread stays after the last caller, because the next one comes soon.
    private static var patience: Duration { .seconds(1) }

    /// Waits for notifications as long as there are callers.
    private func serve() {
        do {
            let session = try connected()
            while true {
                let (hasWaiters, pause) = state.withLock { state in
                    let deadline = state.waiters.values.map(\.deadline).min()
                    return (deadline != nil, deadline.map { max(.zero, $0 - .now) } ?? Self.patience)
                }
                let payloads = try session.connection.notifications(within: pause)
                let position = payloads.compactMap(ReplicationPosition.init(payload:)).last
                if let position { state.withLock { $0.position = position } }
                let now = ContinuousClock.now
                resume(.success(())) { _, waiter in
                    waiter.deadline <= now || position.map { $0.revision > waiter.position.revision } ?? false
                }
                if !hasWaiters, payloads.isEmpty, rest(session) { return }
            }
        } catch {
            end(error)
        }
    }

    /// Returns a connection that listens, and resumes the callers that have missed a commit.
    private func connected() throws -> PostgresSession {
        let kept = state.withLock { state in
            defer { state.session = nil }
            return state.session
        }
        if let kept, !kept.connection.hasEnded() { return kept }
        let session = try connector.connect()
        _ = try session.connection.run("LISTEN larder_\(session.store)")
        // Read after listening, so that no commit is missed in between.
        let rows = try session.connection.run(
            "SELECT at_revision, at_token FROM larder.snapshot($1)",
            [.int4(session.store)]
        )
        let position = try rows.position(0, 0)
        state.withLock { $0.position = position }
        resume(.success(())) { $1.position != position }
        return session
    }

    /// Keeps the connection for later callers, unless there are some by now.
    private func rest(_ session: PostgresSession) -> Bool {
        state.withLock { state in
            guard state.waiters.isEmpty else { return false }
            state.isServed = false
            state.session = session
            return true
        }
    }

    private func end(_ error: any Error) {
        state.withLock { state in
            state.isServed = false
            state.position = nil
        }
        resume(.failure(error)) { _, _ in true }
    }

    private func resume(_ result: Result<Void, any Error>, where isMeant: (UInt64, Waiter) -> Bool) {
        let resumed = state.withLock { state in
            let resumed = state.waiters.filter { isMeant($0.key, $0.value) }
            for number in resumed.keys { state.waiters[number] = nil }
            return resumed
        }
        for waiter in resumed.values { waiter.continuation.resume(with: result) }
    }
}

extension ReplicationPosition {
    /// Reads the payload of a notification: the revision and the token, as the server prints them.
    fileprivate init?(payload: String) {
        let numbers = payload.split(separator: " ").compactMap { Int64($0) }
        guard numbers.count == 2, numbers[0] >= 0 else { return nil }
        self.init(revision: UInt64(bitPattern: numbers[0]), token: UInt64(bitPattern: numbers[1]))
    }
}
#endif
