import LarderCore
import Synchronization

/// An observer of one key that skips changes it has already delivered.
final class ObservedKey<Value: DefaultsSerializable & SendableMetatype>: Sendable where Value.T: Sendable {
    private let place: DefaultsPlace
    private let key: DefaultsKey<Value>
    private let options: DefaultsObservingOptions
    private let handler: @Sendable (DefaultsUpdate<Value.T>) -> Void
    /// The stored value after the last observed change, or the initial stored value.
    private let last = Mutex<StoredValue?>(nil)

    init(
        _ key: DefaultsKey<Value>,
        in place: DefaultsPlace,
        options: DefaultsObservingOptions,
        handler: @escaping @Sendable (DefaultsUpdate<Value.T>) -> Void
    ) {
        self.place = place
        self.key = key
        // Each update needs a value, because an update without values could not be distinguished from a change to nil.
        self.options = options.isDisjoint(with: [.old, .new, .bare]) ? options.union([.old, .new]) : options
        self.handler = handler
    }

    func begin() {
        let stored = current() ?? nil
        last.withLock { $0 = stored }
        guard options.contains(.initial) else { return }
        let value = place.value(of: key)
        // As in key-value observing, the old value is nil for an optional key without a default, and the default for other keys.
        let old = stored == nil ? value : key.defaultValue
        handler(
            DefaultsUpdate(
                old: options.contains(.old) ? old : nil,
                new: options.contains(.new) ? value : nil,
                origin: nil
            )
        )
    }

    func handle(_ event: StoreEvent, shouldNotify: Bool) {
        switch event {
        case .change(let change):
            for entry in change.entries where StoreKey(entry.key) == StoreKey(key._key) {
                notify(old: entry.old, new: entry.new, origin: change.origin, shouldNotify: shouldNotify)
            }
        case .missed:
            guard let now = current() else { return }
            notify(old: last.withLock { $0 }, new: now, origin: .anotherProcess, shouldNotify: shouldNotify)
        }
    }

    /// Returns the stored value, or an inner `nil` if nothing is stored.
    ///
    /// If the read fails, reports the error and returns an outer `nil`.
    private func current() -> StoredValue?? {
        do { return .some(try place.store.get(StoreKey(key._key))) } catch {
            place.store.issues.report(.unobserved(key._key, error))
            return nil
        }
    }

    private func notify(old: StoredValue?, new: StoredValue?, origin: StoreChange.Origin, shouldNotify: Bool) {
        let isNews = last.withLock { last in
            // A commit whose value `begin` has already read may be delivered afterwards.
            defer { last = new }
            return new != last && old != new
        }
        // If a layer has a value, it takes precedence over the store, so the key's value has not changed.
        guard isNews, shouldNotify, place.layered.overlay(StoreKey(key._key)) == nil else { return }
        let before = options.contains(.old) ? place.value(of: key, stored: old) : nil
        if options.contains(.prior) { handler(DefaultsUpdate(old: before, new: nil, isPrior: true, origin: origin)) }
        let now = options.contains(.new) ? place.value(of: key, stored: new) : nil
        handler(DefaultsUpdate(old: before, new: now, origin: origin))
    }
}
