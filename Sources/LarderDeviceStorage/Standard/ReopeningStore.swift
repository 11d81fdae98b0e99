package import LarderCore
import LarderFiles
import LarderStores
import Synchronization

/// A fallback for a store that could not be opened.
///
/// This store holds no values. Each call tries to open the underlying store, at most once per second, and throws an error if that fails.
/// Once the underlying store is open, all calls are forwarded to it.
package final class ReopeningStore: TransparentStore {
    private struct State {
        var store: (any KeyValueStore)?
        /// The observation that forwards changes from the underlying store.
        var observation: StoreObservation?
        var failure: any Error
        /// The monotonic time of the last attempt to open the underlying store.
        var tried: Duration
    }

    private static let pause = Duration.seconds(1)

    private let state: Mutex<State>
    private let openStore: @Sendable () throws -> any KeyValueStore
    private let time: any TimeSource
    private let hub = StoreChangeHub()
    package let issues = IssueChannel(label: "larder.device")

    private init(
        _ failure: any Error,
        _ time: any TimeSource,
        _ openStore: @escaping @Sendable () throws -> any KeyValueStore
    ) {
        state = Mutex(State(failure: failure, tried: time.monotonic))
        self.time = time
        self.openStore = openStore
    }

    /// Returns the store that `open` returns, or a ``ReopeningStore`` if `open` throws an error.
    package static func opening(
        time: any TimeSource = .system,
        _ open: @escaping @Sendable () throws -> any KeyValueStore
    ) -> any KeyValueStore {
        do { return try open() } catch { return ReopeningStore(error, time, open) }
    }

    /// Reports the error that prevented the underlying store from being opened.
    package func reportFailure() {
        issues.report(
            LarderIssue(
                .unavailable,
                "Device storage can't be opened. Resolve the underlying error; later calls retry at most once per second.",
                underlying: state.withLock(\.failure)
            )
        )
    }

    /// Opens the underlying store immediately, unless it is already open.
    ///
    /// - Throws: An error if the underlying store can't be opened.
    package func open() throws { _ = try store(afterPause: false) }

    private func store() throws -> any KeyValueStore { try store(afterPause: true) }

    private func store(afterPause: Bool) throws -> any KeyValueStore {
        let now = time.monotonic
        let mayTry = try state.withLock { state in
            if state.store != nil { return false }
            guard !afterPause || now - state.tried >= Self.pause else { throw state.failure }
            state.tried = now
            return true
        }
        // No lock is held here, because an issue handler may run in the meantime and use this store.
        if mayTry { try tryToOpen() }
        return try state.withLock { state in
            guard let store = state.store else { throw state.failure }
            return store
        }
    }

    private func tryToOpen() throws {
        do {
            // Issues that are reported while the store is opened are delivered after their forwarding has been set up.
            try IssueChannel.holdingBack {
                let opened = try openStore()
                let observation = opened.observe(prefix: "") { [hub] event in
                    switch event {
                    case .change(let change): hub.publish(change)
                    case .missed(let count): hub.publishMissed(count)
                    }
                    hub.deliver()
                }
                let isFirst = state.withLock { state in
                    guard state.store == nil else { return false }
                    state.store = opened
                    state.observation = observation
                    return true
                }
                if isFirst { opened.issues.passOn(to: issues) }
            }
        } catch {
            // The previous error is released outside the lock.
            let former = state.withLock { state in
                defer { state.failure = error }
                return state.failure
            }
            withExtendedLifetime(former) {}
            throw error
        }
    }

    // MARK: - Forwarded

    /// The capabilities of the underlying store, or no capabilities while that store can't be opened.
    package var capabilities: StoreCapabilities {
        // This property can't throw the error, but every call that reads or writes throws it.
        (try? store().capabilities)
            ?? StoreCapabilities(limitations: ["The store can't be opened, so values can't be read or written."])
    }
    package var wrappedStore: any KeyValueStore { get throws { try store() } }
    package var inspectionName: String { state.withLock(\.store)?.inspectionName ?? "device storage" }
    package var inspectionKind: String { state.withLock(\.store)?.inspectionKind ?? "store that can't be opened" }
    package var revision: UInt64 { get throws { try store().revision } }

    package func get(_ key: StoreKey) throws -> StoredValue? { try store().get(key) }
    package func entries(prefix: String) throws -> [StoreEntry] { try store().entries(prefix: prefix) }
    package func verify() throws -> StoreVerification { try store().verify() }
    package func validate(_ value: StoredValue, for key: StoreKey) throws { try store().validate(value, for: key) }

    @available(*, noasync)
    package func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try store().commit(batch, durability: durability)
    }
    package func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        // This call may open the store, which may block on locks and disk I/O.
        let store = try await withBlockingWork { [self] () throws -> any KeyValueStore in try self.store() }
        return try await store.commit(batch, durability: durability)
    }
    package func commit(_ batch: StoreBatch) throws -> Bool { try store().commit(batch) }

    @available(*, noasync)
    package func flush() throws { try store().flush() }
    package func flush() async throws {
        let store = try await withBlockingWork { [self] () throws -> any KeyValueStore in try self.store() }
        try await store.flush()
    }

    package func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        hub.changes(prefix: prefix, buffering: buffering)
    }
    package func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        hub.observe(prefix: prefix, handler)
    }
}
