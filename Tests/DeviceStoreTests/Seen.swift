import LarderCore
import Synchronization

/// The events that an observer received.
final class Seen: Sendable {
    private let events = Mutex<[StoreEvent]>([])

    func add(_ event: StoreEvent) { events.withLock { $0.append(event) } }

    /// All received events, in order.
    var all: [StoreEvent] { events.withLock(\.self) }

    var changes: [StoreChange] { all.compactMap { if case .change(let change) = $0 { change } else { nil } } }

    func values(of key: String) -> [StoredValue?] {
        changes.flatMap(\.entries).filter { $0.key == key }.map(\.new)
    }

    var origins: Set<StoreChange.Origin> { Set(changes.map(\.origin)) }

    var missed: Int {
        all.reduce(0) { if case .missed(let count) = $1 { $0 + count } else { $0 } }
    }
}
