import Synchronization

/// A queue of deliveries to observers that are deferred until the current thread has released its key locks.
///
/// Otherwise, a handler could deadlock by waiting for a thread that waits for one of these locks.
final class DeferredDeliveries: Sendable {
    @TaskLocal private static var current: DeferredDeliveries?
    private let waiting = Mutex<[DefaultsObservation]>([])

    /// Runs `body` and then `end`, and notifies observers only after `end` has returned.
    ///
    /// If calls are nested, the outermost call notifies the observers.
    static func holdingBack<Result>(until end: () -> Void, _ body: () throws -> Result) rethrows -> Result {
        guard DefaultsObservation.areAny, current == nil else {
            defer { end() }
            return try body()
        }
        let deliveries = DeferredDeliveries()
        defer {
            end()
            deliveries.deliver()
        }
        return try $current.withValue(deliveries, operation: body)
    }

    /// Defers the delivery of an observation's pending events.
    ///
    /// - Returns: `true` if the delivery was deferred, or `false` if the caller must deliver the events.
    static func take(_ observation: DefaultsObservation) -> Bool {
        guard let current else { return false }
        current.waiting.withLock { $0.append(observation) }
        return true
    }

    private func deliver() {
        for observation in waiting.withLock({ $0 }) { observation.drain() }
    }
}
