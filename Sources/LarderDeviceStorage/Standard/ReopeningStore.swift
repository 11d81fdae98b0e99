package import LarderCore
import LarderFiles
import LarderStores
import Synchronization

/// Stands in for a store that could not be opened.
///
/// It holds nothing. Each call tries to open the real store, though not more than once a second, and throws why it can't be;
/// from the moment it can, this store passes everything on.
package final class ReopeningStore: KeyValueStore {
    private struct State {
        var store: (any KeyValueStore)?
        /// Passes on what the real store announces.
        var observation: StoreObservation?
        var failure: any Error
        /// When it was last tried.
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

    /// The store that `open` opens, or one that stands in for it until it can be opened.
    package static func opening(
        time: any TimeSource = .system,
        _ open: @escaping @Sendable () throws -> any KeyValueStore
    ) -> any KeyValueStore {
        do { return try open() } catch { return ReopeningStore(error, time, open) }
    }

    /// Tells of the failure that made this one stand in.
    package func reportFailure() {
        issues.report(
            LarderIssue(
                .unavailable,
                "The device's storage can't be opened, so that nothing can be read or kept; every call says so, and tries again.",
                underlying: state.withLock(\.failure)
            )
        )
    }

    /// Tries to open the real store now.
    ///
    /// - Throws: Why it can't be opened.
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
        // Without the lock: an issue that is reported meanwhile may be answered by using this store.
        if mayTry { try tryToOpen() }
        return try state.withLock { state in
            guard let store = state.store else { throw state.failure }
            return store
        }
    }

    private func tryToOpen() throws {
        do {
            // What opening reports is told once the readers of this store's issues hear of the real one's.
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
            // The earlier one is released outside the lock.
            let former = state.withLock { state in
                defer { state.failure = error }
                return state.failure
            }
            withExtendedLifetime(former) {}
            throw error
        }
    }

    // MARK: - Passed on

    /// Nothing as long as there is no store.
    package var capabilities: StoreCapabilities {
        // Why it can't be opened is told by every call that reads or writes.
        (try? store().capabilities)
            ?? StoreCapabilities(limitations: ["The store can't be opened: nothing is read or kept."])
    }
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
        // It may be opened, which waits for locks and the disk.
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
