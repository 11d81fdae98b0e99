import LarderCore
import Synchronization

/// The stored values of several keys, as of the last event delivered to an observer.
final class StoredSnapshot: Sendable {
    private let names: Set<StoreKey>
    private let place: DefaultsPlace
    private let stored = Mutex<[StoreKey: StoredValue]>([:])

    init(of names: [String], in place: DefaultsPlace) {
        self.names = Set(names.map { StoreKey($0) })
        self.place = place
    }

    /// Reads the values of all keys in one transaction.
    func begin() -> [StoreKey: StoredValue] {
        let now = current() ?? [:]
        stored.withLock { $0 = now }
        return now
    }

    /// Applies an event and returns the new values of all keys, or `nil` if no value changed.
    func update(_ event: StoreEvent) -> [StoreKey: StoredValue]? {
        let now: [StoreKey: StoredValue]
        switch event {
        case .change(let change):
            now = stored.withLock { stored in
                var now = stored
                for entry in change.entries where names.contains(StoreKey(entry.key)) {
                    now[StoreKey(entry.key)] = entry.new
                }
                return now
            }
        case .missed:
            guard let current = current() else { return nil }
            now = current
        }
        return stored.withLock { stored in
            guard stored != now else { return nil }
            stored = now
            return now
        }
    }

    private func current() -> [StoreKey: StoredValue]? {
        do {
            return try place.store.transaction { transaction in
                var values: [StoreKey: StoredValue] = [:]
                for name in names { values[name] = try transaction.get(name) }
                return values
            }
        } catch {
            place.store.issues.report(.unobserved(nil, error))
            return nil
        }
    }
}
