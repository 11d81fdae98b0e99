import LarderCore
import Synchronization

/// A record of the events that a store delivered since this observer was created.
final class Observed: Sendable {
    private let state = Mutex<[StoreEvent]>([])
    private let observation = Mutex<StoreObservation?>(nil)

    init(_ store: some KeyValueStore, prefix: String = "") {
        let observation = store.observe(prefix: prefix) { [weak self] event in
            self?.state.withLock { $0.append(event) }
        }
        self.observation.withLock { $0 = observation }
    }

    var events: [StoreEvent] { state.withLock { $0 } }
}
