import Synchronization

/// Observers that are to be told once this thread has given back the keys it had claimed.
///
/// A handler may wait for another thread, which may wait for the key: so none runs while a claim is held.
final class DeferredDeliveries: Sendable {
    @TaskLocal private static var current: DeferredDeliveries?
    private let waiting = Mutex<[DefaultsObservation]>([])

    /// Holds back deliveries that `body` brings about on this thread, unless an outer call does so already, until `end` has run.
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

    /// Takes an observation that has something to deliver.
    ///
    /// - Returns: Whether it was taken; else the caller delivers.
    static func take(_ observation: DefaultsObservation) -> Bool {
        guard let current else { return false }
        current.waiting.withLock { $0.append(observation) }
        return true
    }

    private func deliver() {
        for observation in waiting.withLock({ $0 }) { observation.drain() }
    }
}
