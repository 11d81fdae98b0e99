import LarderCore
import Synchronization

/// One observer of a store: takes the store's events in and delivers them one at a time, in order, outside every lock.
final class DefaultsObservation: DefaultsDisposable {
    private struct State {
        var pending: [StoreEvent] = []
        // From the start, so that nothing comes before the initial delivery.
        var isDelivering = true
        var isDisposed = false
        var source: StoreObservation?
    }

    private static let count = Atomic<Int>(0)
    /// Whether anybody is observing: if not, writing need not hold deliveries back.
    static var areAny: Bool { count.load(ordering: .relaxed) > 0 }

    private let state = Mutex(State())
    private let handle: @Sendable (StoreEvent) -> Void

    /// Begins to observe.
    ///
    /// - Parameters:
    ///   - store: What to observe.
    ///   - prefix: The beginning of the keys of interest.
    ///   - initial: Runs before anything is delivered; what happens meanwhile is delivered after it.
    ///   - handle: Told each event.
    init(
        _ store: any KeyValueStore,
        prefix: String = "",
        initial: () -> Void,
        handle: @escaping @Sendable (StoreEvent) -> Void
    ) {
        self.handle = handle
        Self.count.add(1, ordering: .relaxed)
        let source = store.observe(prefix: prefix) { [weak self] in self?.receive($0) }
        state.withLock { $0.source = source }
        initial()
        deliverPending()
    }

    deinit {
        Self.count.subtract(1, ordering: .relaxed)
        dispose()
    }

    func dispose() {
        let source = state.withLock { state in
            state.isDisposed = true
            state.pending = []
            defer { state.source = nil }
            return state.source
        }
        source?.cancel()
    }

    /// Delivers what has arrived, unless another thread is doing so.
    func drain() {
        let begins = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        if begins { deliverPending() }
    }

    private func receive(_ event: StoreEvent) {
        state.withLock { if !$0.isDisposed { $0.pending.append(event) } }
        if !DeferredDeliveries.take(self) { drain() }
    }

    private func deliverPending() {
        while let event = next() { handle(event) }
    }

    private func next() -> StoreEvent? {
        state.withLock { state in
            guard !state.pending.isEmpty, !state.isDisposed else {
                state.isDelivering = false
                return nil
            }
            return state.pending.removeFirst()
        }
    }
}
