import LarderCore
import Synchronization

/// One check on one store; the checks themselves are in the extensions, by topic.
struct ContractRun: Sendable {
    let check: KeyValueStoreContract.Check
    /// Opens the store in its place again.
    let open: @Sendable () throws -> any KeyValueStore

    func body(_ store: any KeyValueStore) async throws {
        switch check {
        case .valuesComeBackExactly: try valuesComeBackExactly(store)
        case .randomValuesComeBackExactly: try randomValuesComeBackExactly(store)
        case .overwritingAndRemoving: try overwritingAndRemoving(store)
        case .keysAreBytes: try keysAreBytes(store)
        case .listingIsExactAndSorted: try listingIsExactAndSorted(store)
        case .keysOutsideTheRulesAreRefused: try keysOutsideTheRulesAreRefused(store)
        case .valuesOutsideTheRulesAreRefused: try valuesOutsideTheRulesAreRefused(store)
        case .batchesAreAllOrNothing: try batchesAreAllOrNothing(store)
        case .expectationsAreChecked: try expectationsAreChecked(store)
        case .comparingAndSetting: try comparingAndSetting(store)
        case .transactions: try transactions(store)
        case .overtakenTransactionsRunAgain: try overtakenTransactionsRunAgain(store)
        case .revisionFollowsChanges: try revisionFollowsChanges(store)
        case .changesArriveInOrder: try changesArriveInOrder(store)
        case .slowReadersAreToldWhatTheyMissed: try await slowReadersAreToldWhatTheyMissed(store)
        case .observersMayWrite: try observersMayWrite(store)
        case .flushing: try await flushing(store)
        case .reopening: break
        case .threads: try threads(store)
        }
    }

    func verify(_ store: any KeyValueStore) throws {
        let verification = try store.verify()
        try require(verification.isIntact, "`verify` found \(verification.problems)")
    }

    // MARK: - What checks are written with

    func require(_ condition: Bool, _ explanation: @autoclosure () -> String) throws {
        guard condition else { throw ContractViolation(check: check, explanation: explanation()) }
    }

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
            "the entries under \(prefix.debugDescription) should be \(entries), but are \(found)"
        )
    }

    /// Requires `body` to be refused with a code and to change nothing.
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
            try require(error.code == code, "\(what) should be refused with \(code), but was with \(error.code)")
            try require(try store.entries() == before, "\(what) was refused, but something changed")
            return
        }
        try require(false, "\(what) should be refused with \(code), but was not")
    }

    private static func text(_ value: StoredValue?) -> String {
        guard let value else { return "absent" }
        return String("\(value.kind) \(value)".prefix(200))
    }
}

/// What an observer was told.
final class ContractObserver: Sendable {
    private let received = Mutex<[StoreEvent]>([])

    var events: [StoreEvent] { received.withLock { $0 } }
    var changes: [StoreChange] {
        events.compactMap { event in
            if case .change(let change) = event { change } else { nil }
        }
    }

    func observe(_ store: any KeyValueStore, prefix: String = "") -> StoreObservation {
        store.observe(prefix: prefix) { [weak self] event in self?.received.withLock { $0.append(event) } }
    }
}
