public import Foundation
public import LarderCore
import LarderDeviceStorage

/// Typed access to the values of a store, by the keys of a key store.
///
/// ```swift
/// Defaults[\.launchCount] += 1        // by key path
/// let count = Defaults.launchCount    // as a property
/// Defaults[key: soundKey] = false     // by a key that stands by itself
/// try Defaults.read(\.launchCount)    // by what throws
/// ```
///
/// The subscripts never throw. What can't be read reads as the key's default, what can't be written leaves the earlier value,
/// and each such failure is reported on the store's `issues`; ``read(_:)-(DefaultsKey<Value>)`` and
/// ``write(_:_:)-(DefaultsKey<Value>,_)`` throw instead. Reading never writes.
///
/// An adapter may be used from any thread. **A change in place** (`Defaults.launchCount += 1`) is atomic among the threads of this process:
/// eight threads lose nothing. It is for short, synchronous changes. One that is overtaken by its own nested write, by another task while
/// it is suspended, or by another process is dropped: the later value stands, and an issue with code `lostUpdate` names the key and the
/// dropped value. A thread waits up to a quarter of a second for another thread's change in place, then goes ahead.
///
/// ``increment(_:by:)-(DefaultsKey<Value>,_)``, ``modify(_:_:)-(DefaultsKey<Value>,_)`` and ``transaction(_:)`` lose nothing, among
/// processes either.
@dynamicMemberLookup
public struct DefaultsAdapter<KeyStore: DefaultsKeyStore> {
    /// The keys.
    public let keyStore: KeyStore
    /// `nil` for the device's storage, which `withDefaults(_:operation:)` replaces.
    @usableFromInline let ownPlace: DefaultsPlace?

    /// An adapter over any store.
    ///
    /// - Parameters:
    ///   - store: Where the values are kept.
    ///   - keyStore: The keys.
    ///   - layers: What is read before the store, the first one first.
    public init(store: any KeyValueStore, keyStore: KeyStore, layers: [DefaultsLayer] = []) {
        self.init(place: DefaultsPlace(StoreUserDefaults(store), layers: layers), keyStore: keyStore)
    }

    /// An adapter over exactly the given `UserDefaults`.
    ///
    /// - Parameters:
    ///   - defaults: Where the values are kept; written through at every change.
    ///   - keyStore: The keys.
    ///   - layers: What is read before the store, the first one first.
    public init(defaults: UserDefaults, keyStore: KeyStore, layers: [DefaultsLayer] = []) {
        self.init(place: DefaultsPlace(defaults.facade, layers: layers), keyStore: keyStore)
    }

    /// An adapter over the device's storage, or over what `withDefaults(_:operation:)` puts in its place.
    ///
    /// - Parameter keyStore: The keys.
    public init(keyStore: KeyStore) { self.init(place: nil, keyStore: keyStore) }

    private init(place: DefaultsPlace?, keyStore: KeyStore) {
        self.keyStore = keyStore
        ownPlace = place
    }

    @inlinable var place: DefaultsPlace { ownPlace ?? DefaultsPlace.current }

    /// An adapter that stays where this one stands now, for a queue or a thread, which `withDefaults(_:operation:)` does not reach.
    public var resolved: DefaultsAdapter { DefaultsAdapter(place: place, keyStore: keyStore) }

    /// Where the values are kept.
    public var store: any KeyValueStore { place.store }

    /// The store as a `UserDefaults`, layers included, which is what bridges are handed.
    public var defaults: UserDefaults { place.facade.userDefaults }

    /// The value of a key; its default while nothing is stored or what is stored can't be read.
    public subscript<Value: DefaultsSerializable>(key key: DefaultsKey<Value>) -> Value.T {
        @inlinable get { place.quickValue(of: key) }
        @inlinable nonmutating set {
            place.quickSet(newValue, for: key, of: ObjectIdentifier(KeyStore.self), named: KeyStore.keyStoreName)
        }
        nonmutating _modify {
            let place = place
            var change = place.beginChange(of: key)
            // Also when the change throws: what it had done until then is kept, as with any property.
            defer { place.end(change, of: KeyStoreIdentity(KeyStore.self)) }
            yield &change.value
        }
    }

    /// The value of a key of the key store; its default while nothing is stored or what is stored can't be read.
    public subscript<Value: DefaultsSerializable>(keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Value.T {
        @inlinable get { self[key: keyStore[keyPath: keyPath]] }
        @inlinable nonmutating set { self[key: keyStore[keyPath: keyPath]] = newValue }
        nonmutating _modify { yield &self[key: keyStore[keyPath: keyPath]] }
    }

    /// The value of a key of the key store; its default while nothing is stored or what is stored can't be read.
    public subscript<Value: DefaultsSerializable>(
        dynamicMember keyPath: KeyPath<KeyStore, DefaultsKey<Value>>
    ) -> Value.T {
        @inlinable get { self[keyPath] }
        @inlinable nonmutating set { self[keyPath] = newValue }
        nonmutating _modify { yield &self[key: keyStore[keyPath: keyPath]] }
    }
}

// Chosen by the compiler for the form of SwiftyUserDefaults 4 and Defaults, to say what to do.
extension DefaultsAdapter {
    /// Stands for a key without its label; it never runs.
    @available(
        *,
        unavailable,
        message:
            "Write Defaults[key: k] for a key that stands by itself. For a key of the key store declare `var k: DefaultsKey<T> { .init(...) }` and write Defaults[\\.k] or Defaults.k."
    )
    public subscript<Value: DefaultsSerializable>(_ key: DefaultsKey<Value>) -> Value.T {
        get { key.defaultValue }
        nonmutating set {}
    }

    /// Stands for `Defaults[.k]`, which looks for `k` among the static members of the key store; it never runs.
    @available(
        *,
        unavailable,
        message: "Declare `var k: DefaultsKey<T> { .init(...) }` and write Defaults[\\.k] or Defaults.k."
    )
    public subscript<Value>(_ key: KeyStore) -> Value {
        // There is no value to return, and no call ever comes here.
        get { while true {} }
        nonmutating set {}
    }
}

extension DefaultsAdapter: Sendable where KeyStore: Sendable {}
