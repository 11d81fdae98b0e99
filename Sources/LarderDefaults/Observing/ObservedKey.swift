import LarderCore
import Synchronization

/// What one observer of one key has been told, so that it is told nothing twice.
final class ObservedKey<Value: DefaultsSerializable & SendableMetatype>: Sendable where Value.T: Sendable {
    private let place: DefaultsPlace
    private let key: DefaultsKey<Value>
    private let options: DefaultsObservingOptions
    private let handler: @Sendable (DefaultsUpdate<Value.T>) -> Void
    /// What was stored when the handler was last called.
    private let last = Mutex<StoredValue?>(nil)

    init(
        _ key: DefaultsKey<Value>,
        in place: DefaultsPlace,
        options: DefaultsObservingOptions,
        handler: @escaping @Sendable (DefaultsUpdate<Value.T>) -> Void
    ) {
        self.place = place
        self.key = key
        // An update without a value tells nothing, and could not be told from one to nil.
        self.options = options.isDisjoint(with: [.old, .new, .bare]) ? options.union([.old, .new]) : options
        self.handler = handler
    }

    func begin() {
        let stored = current() ?? nil
        last.withLock { $0 = stored }
        guard options.contains(.initial) else { return }
        let value = place.value(of: key)
        // As key-value observing has it: an optional without a default has no old value, everything else its default.
        let old = stored == nil ? value : key.defaultValue
        handler(
            DefaultsUpdate(
                old: options.contains(.old) ? old : nil,
                new: options.contains(.new) ? value : nil,
                origin: nil
            )
        )
    }

    func handle(_ event: StoreEvent, isTold: Bool) {
        switch event {
        case .change(let change):
            for entry in change.entries where StoreKey(entry.key) == StoreKey(key._key) {
                tell(old: entry.old, new: entry.new, origin: change.origin, isTold: isTold)
            }
        case .missed:
            guard let now = current() else { return }
            tell(old: last.withLock { $0 }, new: now, origin: .anotherProcess, isTold: isTold)
        }
    }

    /// What is stored, `nil` in it for nothing; `nil` for a failure, which is reported.
    private func current() -> StoredValue?? {
        do { return .some(try place.store.get(StoreKey(key._key))) } catch {
            place.store.issues.report(.unobserved(key._key, error))
            return nil
        }
    }

    private func tell(old: StoredValue?, new: StoredValue?, origin: StoreChange.Origin, isTold: Bool) {
        let isNews = last.withLock { last in
            // A commit from before `begin` read the value may arrive after it.
            defer { last = new }
            return new != last && old != new
        }
        // A layer lies over the store: what is read has not changed.
        guard isNews, isTold, place.layered.overlay(StoreKey(key._key)) == nil else { return }
        let before = options.contains(.old) ? place.value(of: key, stored: old) : nil
        if options.contains(.prior) { handler(DefaultsUpdate(old: before, new: nil, isPrior: true, origin: origin)) }
        let now = options.contains(.new) ? place.value(of: key, stored: new) : nil
        handler(DefaultsUpdate(old: before, new: now, origin: origin))
    }
}
