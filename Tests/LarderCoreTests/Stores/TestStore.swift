import LarderCore
import Synchronization

/// A minimal store for the tests of LarderCore, which don't depend on the modules that contain real stores.
final class TestStore: KeyValueStore {
    private struct State {
        var entries = StoredDictionary()
        var revision: UInt64 = 0
    }

    private let state = Mutex(State())
    private let hub = StoreChangeHub()
    private let asked = Recorder<Durability>()
    let issues = IssueChannel(label: "larder.test")
    let capabilities = StoreCapabilities(limitations: ["It is a test."])
    let inspectionName = "test"
    let inspectionKind = "memory"

    var revision: UInt64 { state.withLock { $0.revision } }

    func get(_ key: StoreKey) throws -> StoredValue? {
        try key.validate()
        return state.withLock { $0.entries[key.text] }
    }

    func entries(prefix: String) throws -> [StoreEntry] { state.withLock { Self.entries(of: $0, prefix: prefix) } }

    private static func entries(of state: State, prefix: String) -> [StoreEntry] {
        state.entries.filter { $0.key.utf8.starts(with: prefix.utf8) }.map { StoreEntry(key: $0.key, value: $0.value) }
    }

    func commit(_ batch: StoreBatch) throws -> Bool {
        try batch.validate()
        let isCommitted = state.withLock { state in
            for expectation in batch.expectations {
                switch expectation {
                case .value(let value, let key): guard state.entries[key.text] == value else { return false }
                case .entries(let entries, let prefix):
                    guard Self.entries(of: state, prefix: prefix) == entries else { return false }
                }
            }
            var changes: [StoreChange.Entry] = []
            for write in batch.writes {
                let old = state.entries[write.key.text]
                guard old != write.value else { continue }
                state.entries[write.key.text] = write.value
                changes.append(StoreChange.Entry(key: write.key.text, old: old, new: write.value))
            }
            if !changes.isEmpty { state.revision += 1 }
            hub.publish(StoreChange(entries: changes, origin: batch.origin))
            return true
        }
        hub.deliver()
        return isCommitted
    }

    /// The requested durability of each commit that requested one, in order.
    var durabilities: [Durability] { asked.all }

    @available(*, noasync)
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        asked.append(durability)
        return try commit(batch)
    }

    func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        asked.append(durability)
        return try commit(batch)
    }

    func flush() throws {}
    func flush() async throws {}

    func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        hub.changes(prefix: prefix, buffering: buffering)
    }

    func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        hub.observe(prefix: prefix, handler)
    }

    func verify() throws -> StoreVerification { StoreVerification(checkedEntries: state.withLock { $0.entries.count }) }
}

/// A thread-safe list of values that closures record during a test.
final class Recorder<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func append(_ element: Element) { elements.withLock { $0.append(element) } }

    var all: [Element] { elements.withLock { $0 } }
}
