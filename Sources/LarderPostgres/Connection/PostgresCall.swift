#if Postgres
internal import Synchronization

/// A call in the queue of a ``PostgresLane``.
protocol PostgresJob: Sendable {
    /// Whether the call was neither canceled nor ended.
    var isNeeded: Bool { get }

    /// Runs the call, unless it was canceled.
    func perform(_ session: PostgresSession)

    /// Ends the call with an error, unless it was canceled.
    func fail(_ error: any Error)
}

/// A call that no task waits for, and whose errors are ignored.
struct PostedCall: PostgresJob {
    let body: @Sendable (PostgresSession) throws -> Void

    var isNeeded: Bool { true }
    func perform(_ session: PostgresSession) { try? body(session) }
    func fail(_ error: any Error) {}
}

/// A call that a task waits for, and that may be canceled at any time.
final class PostgresCall<Value: Sendable>: PostgresJob {
    private enum Stage {
        case new
        case waiting(CheckedContinuation<Value, any Error>)
        /// The statements of the call may have reached the server.
        case running(CheckedContinuation<Value, any Error>)
        case over
    }

    private let stage = Mutex(Stage.new)
    private let body: @Sendable (PostgresSession) throws -> Value
    private let abandoned: @Sendable () throws -> Value

    init(
        body: @escaping @Sendable (PostgresSession) throws -> Value,
        abandoned: @escaping @Sendable () throws -> Value
    ) {
        self.body = body
        self.abandoned = abandoned
    }

    /// Notes who waits for the call.
    ///
    /// - Returns: `false` if the call was canceled already; the continuation is then resumed.
    func wait(with continuation: CheckedContinuation<Value, any Error>) -> Bool {
        let isNew = stage.withLock { stage in
            guard case .new = stage else { return false }
            stage = .waiting(continuation)
            return true
        }
        if !isNew { continuation.resume(throwing: CancellationError()) }
        return isNew
    }

    func cancel() {
        let (continuation, mayHaveBegun) = stage.withLock { stage in
            defer { stage = .over }
            return switch stage {
            case .new, .over: (CheckedContinuation<Value, any Error>?.none, false)
            case .waiting(let continuation): (continuation, false)
            case .running(let continuation): (continuation, true)
            }
        }
        guard let continuation else { return }
        if mayHaveBegun {
            continuation.resume(with: Result { try abandoned() })
        } else {
            continuation.resume(throwing: CancellationError())
        }
    }

    var isNeeded: Bool {
        stage.withLock { if case .waiting = $0 { true } else { false } }
    }

    func perform(_ session: PostgresSession) {
        let begins = stage.withLock { stage in
            guard case .waiting(let continuation) = stage else { return false }
            stage = .running(continuation)
            return true
        }
        if begins { end(Result { try body(session) }) }
    }

    func fail(_ error: any Error) { end(.failure(error)) }

    private func end(_ result: Result<Value, any Error>) {
        let continuation = stage.withLock { stage -> CheckedContinuation<Value, any Error>? in
            defer { stage = .over }
            return switch stage {
            case .new, .over: nil
            case .waiting(let continuation), .running(let continuation): continuation
            }
        }
        continuation?.resume(with: result)
    }
}
#endif
