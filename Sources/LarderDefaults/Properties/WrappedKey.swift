import LarderCore
import Observation
import Synchronization

/// The storage of a property wrapper for a key, which optionally caches and observes the value.
@usableFromInline
final class WrappedKey<Value: DefaultsSerializable & SendableMetatype>: Sendable where Value.T: Sendable {
    let key: DefaultsKey<Value>
    private let ownPlace: DefaultsPlace?
    private let keyStore: KeyStoreIdentity
    private let cache: ValueCache<Value.T>?
    /// The cache to read the value from, or `nil` if reads need more than a cache lookup.
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
        keyStore = adapter.identity
        let cache = isCached || isObserved ? ValueCache<Value.T>() : nil
        self.cache = cache
        quickCache = isObserved ? nil : cache
        // An observed property always uses the store that it observes.
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
            place.quickSet(newValue, for: key, of: keyStore)
            cache?.invalidate()
        }
        _modify {
            let place = place
            let begun = place.beginChange(of: key)
            var value = begun.value
            defer {
                place.end(begun.change, with: value, of: key, keyStore)
                cache?.invalidate()
            }
            yield &value
        }
    }
}

/// An object that forwards observed changes to a handler, which can be set after the observation has begun.
private final class Changes: Sendable {
    let handler = Mutex<(@Sendable () -> Void)?>(nil)

    func announce() { handler.withLock { $0 }?() }
}

/// The observable object that `withObservationTracking` tracks for one key.
///
/// The class is not generic, because Swift creates the key path of a generic class on each use, which is slow.
private final class ObservedMark: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    private var value: Void { () }

    func noteReader() { registrar.access(self, keyPath: \.value) }

    func announce() { registrar.withMutation(of: self, keyPath: \.value) {} }
}
