import Synchronization

/// A store that measures its commits while they are displayed.
package protocol MeasuringStore: KeyValueStore {
    /// Adds `difference` to the number of inspection tools that display the store.
    func countInspections(_ difference: Int)
}

/// The changes of a store for display, which pause when there are more than anyone can look at.
///
/// A commit that is observed costs more than one that is not. So the feed ends its observation of the store after a number of changed keys,
/// and begins another one at the next tick.
final class InspectionFeed: Sendable {
    /// The number of changed keys after which the feed pauses until the next tick.
    static let changesInTick = 1_000
    private static let tick = Duration.milliseconds(100)
    /// The number of ticks after which the feed looks for the commits of other processes.
    ///
    /// A store in a single file notices them only when it is read.
    private static let ticksBetweenReads = 3

    private struct State {
        var observation: StoreObservation?
        var isCanceled = false
        var isPaused = false
        /// The number of changed keys since the last tick.
        var changes = 0
        var ticks = 0
    }

    private let store: any KeyValueStore
    private let receive: @Sendable (InspectionEvent) -> Void
    private let state = Mutex(State())

    private init(_ store: any KeyValueStore, _ receive: @escaping @Sendable (InspectionEvent) -> Void) {
        self.store = store
        self.receive = receive
    }

    /// Calls `receive` with the changes of `store` until the returned observation ends.
    static func observation(
        of store: any KeyValueStore,
        _ receive: @escaping @Sendable (InspectionEvent) -> Void
    ) -> StoreObservation {
        let feed = InspectionFeed(store, receive)
        let measured = measuredStore(of: store)
        measured?.countInspections(1)
        feed.begin()
        feed.beginTicking()
        return StoreObservation {
            feed.cancel()
            measured?.countInspections(-1)
        }
    }

    /// Returns the store that keeps the entries of `store`, if it measures its commits.
    private static func measuredStore(of store: any KeyValueStore) -> (any MeasuringStore)? {
        var store = store
        // A store that can't be opened is not measured.
        while let base = try? (store as? any WrappingStore)?.wrappedStore { store = base }
        return store as? any MeasuringStore
    }

    private func cancel() {
        let observation = state.withLock { state in
            state.isCanceled = true
            defer { state.observation = nil }
            return state.observation
        }
        observation?.cancel()
    }

    private func begin() {
        state.withLock { state in
            state.changes = 0
            state.isPaused = false
        }
        let observation = store.observe(prefix: "") { [weak self] event in self?.pass(event) }
        let isNeeded = state.withLock { state in
            // A burst may have paused the new observation before it was known here.
            guard !state.isCanceled, !state.isPaused else { return false }
            state.observation = observation
            return true
        }
        if !isNeeded { observation.cancel() }
    }

    private func pass(_ event: StoreEvent) {
        guard case .change(let change) = event else { return receive(.missed) }
        receive(.changes(change.entries.map { InspectionChange($0) }, origin: change.origin.description))
        let former = state.withLock { state -> StoreObservation? in
            state.changes += change.entries.count
            guard state.changes >= Self.changesInTick else { return nil }
            state.isPaused = true
            defer { state.observation = nil }
            return state.observation
        }
        former?.cancel()
    }

    /// Handles a tick now and then, until the feed is canceled.
    ///
    /// The thread belongs to the feed: a store may wait for a file or for another process, which must not delay tasks or other feeds.
    private func beginTicking() {
        let error = NewThread.start("larder-inspect") { [weak self] in
            repeat { CurrentThread.sleep(for: Self.tick) } while self?.handleTick() ?? false
        }
        guard error != 0 else { return }
        // A process that can have no more threads ticks on the threads of its tasks.
        Task.detached { [weak self] in
            repeat {
                // The sleep of a task that nothing cancels does not end early.
                try? await SystemTimeSource().sleep(for: Self.tick)
            } while self?.handleTick() ?? false
        }
    }

    /// Returns whether another tick follows.
    private func handleTick() -> Bool {
        let (isCanceled, isPaused, ticks) = state.withLock { state in
            state.ticks += 1
            state.changes = 0
            return (state.isCanceled, state.isPaused, state.ticks)
        }
        guard !isCanceled else { return false }
        if isPaused {
            begin()
            // Commits of the pause, and those that were not delivered when it began.
            receive(.missed)
        } else if ticks % Self.ticksBetweenReads == 0, store.capabilities.isSharedBetweenProcesses {
            // Only the delivery of changes matters here. The next read of a value throws the error.
            _ = try? store.revision
        }
        return true
    }
}

extension InspectionChange {
    fileprivate init(_ entry: StoreChange.Entry) {
        self.init(
            table: EntryInspection.table,
            key: entry.key,
            kind: entry.old == nil ? .inserted : entry.new == nil ? .removed : .updated,
            old: entry.old,
            new: entry.new
        )
    }
}
