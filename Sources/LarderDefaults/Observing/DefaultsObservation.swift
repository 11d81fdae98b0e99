import LarderCore
import Synchronization

/// An observation of a store that delivers events serially, in order, without holding a lock.
final class DefaultsObservation: DefaultsDisposable {
    fileprivate struct State {
        var pending = Queue<StoreEvent>()
        // Initially `true`, so that no event is delivered before the initial call.
        var isDelivering = true
        var isDisposed = false
        var source: StoreObservation?
        /// The handler's own writes in ``DefaultsAdapter/withoutPropagation(_:)``, which are not delivered to the handler.
        var echoes: [Echo] = []
        var tie: Tie?
    }

    /// A key's value after one of the handler's own writes.
    struct Echo: Equatable {
        let key: StoreKey
        let value: StoredValue?
    }

    /// A weak reference to the object whose release ends the observation.
    struct Tie: @unchecked Sendable {
        // Sendable because the reference is only compared with nil, which is safe on any thread.
        weak var owner: AnyObject?
    }

    /// The observation whose handler is running in this task.
    @TaskLocal static var current: DefaultsObservation?
    /// The observation that is not notified of writes made in this task.
    @TaskLocal static var muted: DefaultsObservation?

    private static let count = Atomic<Int>(0)
    /// Whether any observation exists in this process.
    static var areAny: Bool { count.load(ordering: .relaxed) > 0 }

    private let state = Mutex(State())
    private let handle: @Sendable (StoreEvent, _ shouldNotify: Bool) -> Void

    /// Starts observing a store.
    ///
    /// - Parameters:
    ///   - store: The store to observe.
    ///   - prefix: The prefix of the keys to observe.
    ///   - initial: A closure that runs before the first event is delivered.
    ///   - handle: A closure that receives each event. `shouldNotify` is `false` for the handler's muted writes.
    init(
        _ store: any KeyValueStore,
        prefix: String = "",
        initial: () -> Void,
        handle: @escaping @Sendable (StoreEvent, _ shouldNotify: Bool) -> Void
    ) {
        self.handle = handle
        Self.count.add(1, ordering: .relaxed)
        let source = store.observe(prefix: prefix) { [weak self] in self?.receive($0) }
        state.withLock { $0.source = source }
        Self.$current.withValue(self, operation: initial)
        deliverPending()
    }

    deinit {
        Self.count.subtract(1, ordering: .relaxed)
        dispose()
    }

    func dispose() {
        // Pending events and the values in them are released outside the lock.
        let (source, pending) = state.withLock { state in
            state.isDisposed = true
            defer {
                state.source = nil
                state.pending.removeAll()
            }
            return (state.source, state.pending)
        }
        withExtendedLifetime(pending) {}
        source?.cancel()
        Self.tied.withLock { tied in tied.removeAll { $0 === self } }
    }

    /// Delivers pending events, unless another thread is already delivering events.
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
        while let (event, shouldNotify) = next() {
            Self.$current.withValue(self) { handle(event, shouldNotify) }
        }
    }

    private func next() -> (StoreEvent, shouldNotify: Bool)? {
        if hasLostOwner { dispose() }
        return state.withLock { state in
            guard !state.isDisposed, let event = state.pending.popFirst() else {
                state.isDelivering = false
                return nil
            }
            return (event, !state.takeEcho(event))
        }
    }
}

extension DefaultsObservation.State {
    /// Returns whether an event contains only the handler's own muted writes, and if so, removes these writes from ``echoes``.
    fileprivate mutating func takeEcho(_ event: StoreEvent) -> Bool {
        guard !echoes.isEmpty, case .change(let change) = event else { return false }
        let written = change.entries.map { DefaultsObservation.Echo(key: StoreKey($0.key), value: $0.new) }
        guard written.allSatisfy(echoes.contains) else { return false }
        for echo in written { echoes.removeAll { $0 == echo } }
        return true
    }
}

// MARK: - Writes of the handler itself

extension DefaultsObservation {
    /// Returns the current values of keys that are about to be written, or an empty array if the writes need not be muted.
    static func beginEchoes(_ keys: [StoreKey], in store: any KeyValueStore) -> [Echo] {
        // Only a running handler sets `muted`, so its observation exists and `areAny` is `true`.
        areAny && muted != nil ? keys.compactMap { echo(of: $0, in: store) } : []
    }

    /// Records the values that the running handler has written, so that they are not delivered to the handler.
    ///
    /// The caller must still hold the locks of the keys.
    static func endEchoes(_ before: [Echo], in store: any KeyValueStore) {
        guard !before.isEmpty, let muted else { return }
        let written = before.compactMap { echo(of: $0.key, in: store) }.filter { !before.contains($0) }
        muted.state.withLock { $0.echoes += written }
    }

    /// Returns the current value of `key` as an ``Echo``, or `nil` if the store can't be read.
    private static func echo(of key: StoreKey, in store: any KeyValueStore) -> Echo? {
        do {
            return Echo(key: key, value: try store.get(key))
        } catch {
            return nil
        }
    }
}

// MARK: - Ending with an object

extension DefaultsObservation {
    /// The observations that are tied to the lifetime of an object.
    private static let tied = Mutex<[DefaultsObservation]>([])

    func tie(to owner: AnyObject) {
        state.withLock { $0.tie = Tie(owner: owner) }
        let others = Self.tied.withLock { tied in
            defer { tied.append(self) }
            return tied
        }
        for observation in others where observation.hasLostOwner { observation.dispose() }
    }

    func untie() {
        state.withLock { $0.tie = nil }
        Self.tied.withLock { tied in tied.removeAll { $0 === self } }
    }

    /// Whether the object to which this observation is tied has been released.
    ///
    /// Don't read this property while holding a lock, because the object's `deinit` may run.
    private var hasLostOwner: Bool { state.withLock(\.tie).map { $0.owner == nil } ?? false }
}
