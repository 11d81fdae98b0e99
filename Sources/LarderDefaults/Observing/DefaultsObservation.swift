import LarderCore
import Synchronization

/// One observer of a store: takes the store's events in and delivers them one at a time, in order, outside every lock.
final class DefaultsObservation: DefaultsDisposable {
    fileprivate struct State {
        var pending = Queue<StoreEvent>()
        // From the start, so that nothing comes before the initial delivery.
        var isDelivering = true
        var isDisposed = false
        var source: StoreObservation?
        /// What ``DefaultsAdapter/withoutPropagation(_:)`` wrote in the handler, and what is not told again.
        var echoes: [Echo] = []
        var tie: Tie?
    }

    /// What a key holds after a write of the handler's own.
    struct Echo: Equatable {
        let key: StoreKey
        let value: StoredValue?
    }

    /// The object that the observation ends with.
    struct Tie: @unchecked Sendable {
        // Sendable because it is only asked whether the object is still there, which any thread may.
        weak var owner: AnyObject?
    }

    /// The observation whose handler is running in this task.
    @TaskLocal static var current: DefaultsObservation?
    /// The observation that is not told of what is written in this task.
    @TaskLocal static var muted: DefaultsObservation?

    private static let count = Atomic<Int>(0)
    /// Whether anybody is observing: if not, writing need not hold deliveries back.
    static var areAny: Bool { count.load(ordering: .relaxed) > 0 }

    private let state = Mutex(State())
    private let handle: @Sendable (StoreEvent, _ isTold: Bool) -> Void

    /// Begins to observe.
    ///
    /// - Parameters:
    ///   - store: What to observe.
    ///   - prefix: The beginning of the keys of interest.
    ///   - initial: Runs before anything is delivered; what happens meanwhile is delivered after it.
    ///   - handle: Given each event, and whether the observer is to be told of it.
    init(
        _ store: any KeyValueStore,
        prefix: String = "",
        initial: () -> Void,
        handle: @escaping @Sendable (StoreEvent, _ isTold: Bool) -> Void
    ) {
        self.handle = handle
        Self.count.add(1, ordering: .relaxed)
        Detours.begin()
        let source = store.observe(prefix: prefix) { [weak self] in self?.receive($0) }
        state.withLock { $0.source = source }
        Self.$current.withValue(self, operation: initial)
        deliverPending()
    }

    deinit {
        Self.count.subtract(1, ordering: .relaxed)
        Detours.end()
        dispose()
    }

    func dispose() {
        // The events too are released outside the lock, with the values in them.
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
        while let (event, isTold) = next() {
            Self.$current.withValue(self) { handle(event, isTold) }
        }
    }

    private func next() -> (StoreEvent, isTold: Bool)? {
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
    /// Whether an event is nothing but what the handler itself wrote.
    fileprivate mutating func takeEcho(_ event: StoreEvent) -> Bool {
        guard !echoes.isEmpty, case .change(let change) = event else { return false }
        let written = change.entries.map { DefaultsObservation.Echo(key: StoreKey($0.key), value: $0.new) }
        guard written.allSatisfy(echoes.contains) else { return false }
        for echo in written { echoes.removeAll { $0 == echo } }
        return true
    }
}

// MARK: - What the handler itself writes

extension DefaultsObservation {
    /// What keys hold, if the writes that follow are not to be told.
    static func beginEchoes(_ keys: [StoreKey], in store: any KeyValueStore) -> [Echo] {
        muted == nil ? [] : keys.compactMap { echo(of: $0, in: store) }
    }

    /// Notes which of the keys hold something else now, while nobody else can write them.
    static func endEchoes(_ before: [Echo], in store: any KeyValueStore) {
        guard let muted, !before.isEmpty else { return }
        let written = before.compactMap { echo(of: $0.key, in: store) }.filter { !before.contains($0) }
        muted.state.withLock { $0.echoes += written }
    }

    /// `nil` when the store can't be read, and not when nothing is stored.
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
    /// Observations that nothing but their tie keeps.
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

    /// Asked outside every lock: who asks holds the object for a moment, and may be the last one to release it.
    private var hasLostOwner: Bool { state.withLock(\.tie).map { $0.owner == nil } ?? false }
}
