import Dispatch
import LarderCore
import Synchronization

/// A run of one contract check on one store.
struct ContractRun: CheckRun {
    typealias Violation = ContractViolation

    let check: KeyValueStoreContract.Check
    let operationsOfEachThread: Int
    /// A closure that opens or reopens the store under test.
    let open: @Sendable () throws -> any KeyValueStore

    func body(_ store: any KeyValueStore) async throws {
        switch check {
        case .valuesAreReadBackExactly: try valuesAreReadBackExactly(store)
        case .randomValuesAreReadBackExactly: try randomValuesAreReadBackExactly(store)
        case .everyNaNIsCanonical: try everyNaNIsCanonical(store)
        case .overwritingAndRemoving: try overwritingAndRemoving(store)
        case .keysAreBytes: try keysAreBytes(store)
        case .listingIsExactAndSorted: try listingIsExactAndSorted(store)
        case .pagesAreExactAndSorted: try pagesAreExactAndSorted(store)
        case .invalidKeysAreRejected: try invalidKeysAreRejected(store)
        case .invalidValuesAreRejected: try invalidValuesAreRejected(store)
        case .batchesAreAtomic: try batchesAreAtomic(store)
        case .expectationsAreChecked: try expectationsAreChecked(store)
        case .comparingAndSetting: try comparingAndSetting(store)
        case .transactions: try transactions(store)
        case .conflictingTransactionsAreRetried: try conflictingTransactionsAreRetried(store)
        case .transactionsFailAfterTooManyConflicts: try await transactionsFailAfterTooManyConflicts(store)
        case .typedValues: try typedValues(store)
        case .revisionFollowsChanges: try revisionFollowsChanges(store)
        case .changesArriveInOrder: try await changesArriveInOrder(store)
        case .slowReadersReceiveMissedCount: try await slowReadersReceiveMissedCount(store)
        case .observersMayWrite: try await observersMayWrite(store)
        case .flushing: try await flushing(store)
        case .replicatedDurability: try await replicatedDurability(store)
        case .limitsAreEnforced: try limitsAreEnforced(store)
        case .reopening: break
        case .concurrentWriters: try concurrentWriters(store)
        }
    }

    func verify(_ store: any KeyValueStore) throws {
        let verification = try store.verify()
        try require(verification.isIntact, "`verify` found \(verification.problems)")
    }

    // MARK: - Helpers of checks

    func requireValue(_ value: StoredValue?, at key: String, in store: any KeyValueStore) throws {
        let found = try store.get(key)
        try require(
            found == value,
            "\(key.debugDescription) should be \(Self.text(value)), but is \(Self.text(found))"
        )
    }

    func requireEntries(_ entries: [(String, StoredValue)], prefix: String = "", in store: any KeyValueStore) throws {
        let found = try store.entries(prefix: prefix)
        try require(
            found == entries.map { StoreEntry(key: $0.0, value: $0.1) },
            "the entries with prefix \(prefix.debugDescription) should be \(entries), but are \(found)"
        )
    }

    /// Throws a contract violation unless `body` throws a `StoreError` with `code` and leaves the store unchanged.
    func requireRefusal(
        _ code: StoreError.Code,
        of what: String,
        by store: any KeyValueStore,
        _ body: () throws -> Void
    ) throws {
        let before = try store.entries()
        do {
            try body()
        } catch let error as StoreError {
            try require(
                error.code == code,
                "\(what) should be rejected with code \(code), but was rejected with code \(error.code)"
            )
            try require(try store.entries() == before, "\(what) was rejected, but the store changed")
            return
        }
        try require(false, "\(what) should be rejected with code \(code), but succeeded")
    }

    private static func text(_ value: StoredValue?) -> String {
        guard let value else { return "absent" }
        return String("\(value.kind) \(value)".prefix(200))
    }
}

/// An observer that records the events it receives.
///
/// Events may arrive after the write has returned, because a store may deliver them on its own thread.
final class ContractObserver: Sendable {
    private static let patience = DispatchTimeInterval.seconds(10)

    private struct State {
        var events: [StoreEvent] = []
        var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?

        /// Removes and returns the waiting task's continuation if `isOver` returns `true` for the number of awaited events.
        mutating func satisfied(_ isOver: (Int) -> Bool) -> CheckedContinuation<Void, Never>? {
            guard let waiter, isOver(waiter.count) else { return nil }
            self.waiter = nil
            return waiter.continuation
        }
    }

    private let state = Mutex(State())

    var events: [StoreEvent] { state.withLock(\.events) }
    var changes: [StoreChange] {
        events.compactMap { event in
            if case .change(let change) = event { change } else { nil }
        }
    }

    func observe(_ store: any KeyValueStore, prefix: String = "") -> StoreObservation {
        store.observe(prefix: prefix) { [weak self] event in self?.note(event) }
    }

    private func note(_ event: StoreEvent) {
        let waiter = state.withLock { state in
            state.events.append(event)
            let count = state.events.count
            return state.satisfied { count >= $0 }
        }
        waiter?.resume()
    }

    /// Waits up to ten seconds until `count` events have arrived.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isToWait = state.withLock { state in
                guard state.events.count < count else { return false }
                state.waiter = (count, continuation)
                return true
            }
            guard isToWait else { return continuation.resume() }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
                self.state.withLock { $0.satisfied { $0 == count } }?.resume()
            }
        }
    }
}
