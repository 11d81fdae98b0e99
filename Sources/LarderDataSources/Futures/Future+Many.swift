import LarderCore
import Synchronization

extension Future {
    /// Returns a future that settles with the values of two futures.
    ///
    /// - Parameter other: The second future.
    /// - Returns: A future that settles with both values. If either future fails, the returned future fails and the other future is
    ///   cancelled.
    public func zip<Other: Sendable>(_ other: Future<Other>) -> Future<(Value, Other)> {
        Future<Either<Value, Other>>.batch([map { .left($0) }, other.map { .right($0) }]).map { both in
            guard both.count == 2, case .left(let left) = both[0], case .right(let right) = both[1] else {
                throw CoreError.Unknown()
            }
            return (left, right)
        }
    }

    /// Returns a future that settles with the values of three futures.
    ///
    /// - Parameters:
    ///   - second: The second future.
    ///   - third: The third future.
    /// - Returns: A future that settles with the three values. If one future fails, the returned future fails and the others are cancelled.
    public func zip<Second: Sendable, Third: Sendable>(
        _ second: Future<Second>,
        _ third: Future<Third>
    ) -> Future<(Value, Second, Third)> {
        zip(second).zip(third).map { ($0.0.0, $0.0.1, $0.1) }
    }

    /// Returns a future that settles with the values of four futures.
    ///
    /// - Parameters:
    ///   - second: The second future.
    ///   - third: The third future.
    ///   - fourth: The fourth future.
    /// - Returns: A future that settles with the four values. If one future fails, the returned future fails and the others are cancelled.
    public func zip<Second: Sendable, Third: Sendable, Fourth: Sendable>(
        _ second: Future<Second>,
        _ third: Future<Third>,
        _ fourth: Future<Fourth>
    ) -> Future<(Value, Second, Third, Fourth)> {
        zip(second, third).zip(fourth).map { ($0.0.0, $0.0.1, $0.0.2, $0.1) }
    }

    /// Returns a future that settles with the values of all futures, in the order of the array.
    ///
    /// - Parameter futures: The futures to wait for. If the array is empty, the returned future settles with an empty array.
    /// - Returns: A future that settles with the values. If one future fails, the returned future fails and the others are cancelled.
    public static func batch(_ futures: [Future<Value>]) -> Future<[Value]> {
        if let values = settledValues(of: futures) { return values }
        let pending = PendingFuture<[Value]>()
        let collected = Collected<Value>(count: futures.count)
        pending.onCancel { deliveries in for future in futures { future.cancel(&deliveries) } }
        for (index, future) in futures.enumerated() {
            future.forward { outcome, deliveries in
                switch outcome {
                case .value(let value):
                    if let values = collected.add(value, at: index) { pending.settle(.value(values), &deliveries) }
                case .failure(let failure):
                    pending.settle(.failure(failure), &deliveries) { deliveries in
                        for other in futures { other.cancel(&deliveries) }
                    }
                }
            }
        }
        return Future<[Value]>(storage: .pending(pending))
    }

    /// Returns a future that settles with the values of all futures, in the order of the arguments; see ``batch(_:)-([Future<Value>])``.
    ///
    /// - Parameter futures: The futures to wait for.
    /// - Returns: A future that settles with the values.
    public static func batch(_ futures: Future<Value>...) -> Future<[Value]> { batch(futures) }

    /// Returns a settled future with all values or with the first error, or `nil` if some futures are pending and none has failed.
    private static func settledValues(of futures: [Future<Value>]) -> Future<[Value]>? {
        var values: [Value] = []
        values.reserveCapacity(futures.count)
        var isComplete = true
        for future in futures {
            switch future.outcome {
            case .value(let value): values.append(value)
            case .failure(let failure):
                for other in futures {
                    other.cancel()
                    // The returned future carries only the first failure.
                    if case .failure(let later)? = other.outcome, later !== failure { later.dismiss() }
                }
                return Future<[Value]>(storage: .failure(failure))
            case nil: isComplete = false
            }
        }
        return isComplete ? Future<[Value]>(values) : nil
    }

    /// Calls `listener` once with the future's outcome.
    ///
    /// The call does not mark the future's error as handled.
    func listen(_ listener: @escaping @Sendable (FutureOutcome<Value>) -> Void) {
        switch storage {
        case .value(let value): listener(.value(value))
        case .failure(let failure): listener(.failure(failure))
        case .pending(let pending): pending.listen(listener)
        }
    }

    /// Calls `listener` once with the future's outcome and the delivery queue.
    ///
    /// The call does not mark the future's error as handled.
    func forward(_ listener: @escaping PendingFuture<Value>.Listener) {
        Deliveries.drained { deliveries in
            switch storage {
            case .value(let value): listener(.value(value), &deliveries)
            case .failure(let failure): listener(.failure(failure), &deliveries)
            case .pending(let pending): pending.forward(listener, &deliveries)
            }
        }
    }

    /// Cancels the future like ``cancel()``, but adds the listener calls to `deliveries`.
    func cancel(_ deliveries: inout Deliveries) {
        if case .pending(let pending) = storage { pending.cancel(&deliveries) }
    }
}

/// A thread-safe collection of values that arrive in any order.
private final class Collected<Value: Sendable>: Sendable {
    private let state = Mutex<[Int: Value]>([:])
    private let count: Int

    init(count: Int) { self.count = count }

    /// Adds the value of the future at `index`.
    ///
    /// Returns all values if every future has delivered its value, or `nil` otherwise.
    func add(_ value: Value, at index: Int) -> [Value]? {
        state.withLock { values in
            values[index] = .some(value)
            guard values.count == count else { return nil }
            return values.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}

/// A value of one of two types, which lets futures with different value types share a batch.
private enum Either<Left: Sendable, Right: Sendable>: Sendable {
    case left(Left)
    case right(Right)
}
