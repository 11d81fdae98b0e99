import LarderCore
import Synchronization

extension Future {
    /// A future of both values.
    ///
    /// - Parameter other: The other future.
    /// - Returns: The pair. The first failure of either fails it and cancels the other one.
    public func zip<Other: Sendable>(_ other: Future<Other>) -> Future<(Value, Other)> {
        Future<Either<Value, Other>>.batch([map { .left($0) }, other.map { .right($0) }]).map { both in
            guard both.count == 2, case .left(let left) = both[0], case .right(let right) = both[1] else {
                throw CoreError.Unknown()
            }
            return (left, right)
        }
    }

    /// A future of three values.
    ///
    /// - Parameters:
    ///   - second: The second future.
    ///   - third: The third future.
    /// - Returns: The three. The first failure of any fails it and cancels the others.
    public func zip<Second: Sendable, Third: Sendable>(
        _ second: Future<Second>,
        _ third: Future<Third>
    ) -> Future<(Value, Second, Third)> {
        zip(second).zip(third).map { ($0.0.0, $0.0.1, $0.1) }
    }

    /// A future of four values.
    ///
    /// - Parameters:
    ///   - second: The second future.
    ///   - third: The third future.
    ///   - fourth: The fourth future.
    /// - Returns: The four. The first failure of any fails it and cancels the others.
    public func zip<Second: Sendable, Third: Sendable, Fourth: Sendable>(
        _ second: Future<Second>,
        _ third: Future<Third>,
        _ fourth: Future<Fourth>
    ) -> Future<(Value, Second, Third, Fourth)> {
        zip(second, third).zip(fourth).map { ($0.0.0, $0.0.1, $0.0.2, $0.1) }
    }

    /// A future of all values, in the order of the futures.
    ///
    /// - Parameter futures: None gives an empty list.
    /// - Returns: The values. The first failure fails it and cancels the futures that have not settled.
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

    /// A future of all values, in the order of the futures; see ``batch(_:)-([Future<Value>])``.
    ///
    /// - Parameter futures: One after another.
    /// - Returns: The values.
    public static func batch(_ futures: Future<Value>...) -> Future<[Value]> { batch(futures) }

    /// The batch when it is decided: every future has settled, or one has failed.
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
                    // The caller hears of the first failure.
                    if case .failure(let later)? = other.outcome, later !== failure { later.dismiss() }
                }
                return Future<[Value]>(storage: .failure(failure))
            case nil: isComplete = false
            }
        }
        return isComplete ? Future<[Value]>(values) : nil
    }

    /// Calls `listener` once with the outcome, without looking at the error.
    func listen(_ listener: @escaping @Sendable (FutureOutcome<Value>) -> Void) {
        switch storage {
        case .value(let value): listener(.value(value))
        case .failure(let failure): listener(.failure(failure))
        case .pending(let pending): pending.listen(listener)
        }
    }

    /// Calls `listener` once with the outcome and a place for what it leads to, without looking at the error.
    func forward(_ listener: @escaping PendingFuture<Value>.Listener) {
        Deliveries.drained { deliveries in
            switch storage {
            case .value(let value): listener(.value(value), &deliveries)
            case .failure(let failure): listener(.failure(failure), &deliveries)
            case .pending(let pending): pending.forward(listener, &deliveries)
            }
        }
    }

    /// As ``cancel()``, by way of the deliveries.
    func cancel(_ deliveries: inout Deliveries) {
        if case .pending(let pending) = storage { pending.cancel(&deliveries) }
    }
}

/// Values that arrive in any order.
private final class Collected<Value: Sendable>: Sendable {
    private let state = Mutex<[Int: Value]>([:])
    private let count: Int

    init(count: Int) { self.count = count }

    /// All values, once this was the last one.
    func add(_ value: Value, at index: Int) -> [Value]? {
        state.withLock { values in
            values[index] = .some(value)
            guard values.count == count else { return nil }
            return values.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}

/// One of two values, for futures of different types in one batch.
private enum Either<Left: Sendable, Right: Sendable>: Sendable {
    case left(Left)
    case right(Right)
}
