#if Inspector
import LarderCore
import Synchronization

/// The changes of an instance since the last event, of which a limited number is kept.
final class ChangeBuffer: Sendable {
    private struct Name: Hashable {
        let table: String
        let key: String

        static func == (left: Name, right: Name) -> Bool {
            left.key.hasSameBytes(as: right.key) && left.table.hasSameBytes(as: right.table)
        }

        func hash(into hasher: inout Hasher) { key.hashBytes(into: &hasher) }
    }

    private struct State {
        var changes: [ChangesEvent.Change] = []
        /// The index of the change of each record.
        var places: [Name: Int] = [:]
        var received = 0
        var origin: String?
        var isMissed = false
        /// What precedes each key in the store behind a view.
        var keyPrefix = ""
    }

    private let instance: String
    private let state = Mutex(State())

    /// The maximum number of changes in an event.
    static let limit = 100

    init(instance: String) { self.instance = instance }

    /// Sets what precedes each key in the store behind a view, which decides whether values are masked.
    func setKeyPrefix(_ prefix: String) { state.withLock { $0.keyPrefix = prefix } }

    /// Adds an event of the instance.
    ///
    /// A change of a record that has changed since the last event is merged with the earlier change.
    func add(_ event: InspectionEvent) {
        state.withLock { state in
            switch event {
            case .missed:
                state.isMissed = true
            case .changes(let changes, let origin):
                // Commits of several origins become one event.
                if state.origin == nil || state.origin == origin {
                    state.origin = origin
                } else {
                    state.origin = "several"
                }
                state.received += changes.count
                for change in changes { Self.add(change, to: &state) }
            }
        }
    }

    private static func add(_ change: InspectionChange, to state: inout State) {
        let name = Name(table: change.table, key: change.key)
        if let place = state.places[name] {
            state.changes[place].merge(change)
        } else if state.changes.count < limit {
            state.places[name] = state.changes.count
            state.changes.append(ChangesEvent.Change(change, keyPrefix: state.keyPrefix))
        }
    }

    /// Returns the event with all changes since the last call, or `nil` if there are none.
    func take(at date: String) -> ChangesEvent? {
        let taken = state.withLock { state in
            defer { state = State(keyPrefix: state.keyPrefix) }
            return state
        }
        guard taken.received > 0 || taken.isMissed else { return nil }
        return ChangesEvent(
            instance: instance,
            origin: taken.origin ?? "unknown",
            date: date,
            changes: taken.changes,
            omitted: taken.received - taken.changes.count,
            isMissed: taken.isMissed
        )
    }
}
#endif
