import LarderCore
import Observation
import Synchronization

/// What stands behind the property wrappers: one key in one place, perhaps cached, perhaps observed.
@usableFromInline
final class WrappedKey<Value: DefaultsSerializable & SendableMetatype>: Sendable where Value.T: Sendable {
    let key: DefaultsKey<Value>
    private let ownPlace: DefaultsPlace?
    private let keyStore: KeyStoreIdentity
    private let cache: ValueCache<Value.T>?
    /// ``cache``, where nobody has to be told of a reader.
    @usableFromInline let quickCache: ValueCache<Value.T>?
    private let token: (any DefaultsDisposable)?
    private let observed = ObservedMark()

    init<KeyStore>(
        _ key: DefaultsKey<Value>,
        adapter: DefaultsAdapter<KeyStore>,
        isCached: Bool,
        isObserved: Bool
    ) {
        self.key = key
        keyStore = KeyStoreIdentity(KeyStore.self)
        let cache = isCached || isObserved ? ValueCache<Value.T>() : nil
        self.cache = cache
        quickCache = isObserved ? nil : cache
        // One that follows its key stays where it began, because that is where it listens.
        ownPlace = isObserved ? adapter.place : adapter.ownPlace
        let changes = Changes()
        token = isObserved ? adapter.observe(key, options: .bare) { _ in changes.announce() } : nil
        changes.handler.withLock { handler in
            handler = { [observed] in
                cache?.invalidate()
                observed.announce()
            }
        }
    }

    private var place: DefaultsPlace { ownPlace ?? DefaultsPlace.current }

    @usableFromInline var value: Value.T {
        get {
            if token != nil { observed.noteReader() }
            let place = place
            return cache?.value { place.value(of: key) } ?? place.value(of: key)
        }
        set {
            place.quickSet(newValue, for: key, of: keyStore.type, named: keyStore.name)
            cache?.invalidate()
        }
        _modify {
            let place = place
            var change = place.beginChange(of: key)
            defer {
                place.end(change, of: keyStore)
                cache?.invalidate()
            }
            yield &change.value
        }
    }
}

/// Passes changes on to an object that does not exist yet when observing begins.
private final class Changes: Sendable {
    let handler = Mutex<(@Sendable () -> Void)?>(nil)

    func announce() { handler.withLock { $0 }?() }
}

/// What `withObservationTracking` sees of one key.
///
/// Not generic, because the key path of a generic class's property is built anew at each use, which takes a microsecond.
private final class ObservedMark: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    private var value: Void { () }

    func noteReader() { registrar.access(self, keyPath: \.value) }

    func announce() { registrar.withMutation(of: self, keyPath: \.value) {} }
}
