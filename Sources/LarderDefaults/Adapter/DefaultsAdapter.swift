public import Foundation
public import LarderCore
import LarderDeviceStorage

/// An adapter that reads and writes the values of a store through the typed keys of a key store.
///
/// ```swift
/// Defaults[\.launchCount] += 1        // by key path
/// let count = Defaults.launchCount    // as a property
/// Defaults[key: soundKey] = false     // by a standalone key
/// try Defaults.read(\.launchCount)    // or throws an error
/// ```
///
/// The subscripts never throw. If a value can't be read, a subscript returns the key's default. A failed write keeps the previous value.
/// Each failure is reported on the store's `issues`. To get errors instead, call ``read(_:)-(DefaultsKey<Value>)`` and
/// ``write(_:_:)-(DefaultsKey<Value>,_)``. Reading never writes.
///
/// An adapter is thread-safe. **An in-place change** (`Defaults.launchCount += 1`) is atomic among the threads of this process, and should
/// be short and synchronous. A thread waits up to 250 ms for another thread's in-place change of the same key, then proceeds. The key may
/// be written during an in-place change by a nested write, by another process, or by another task while the change is suspended. The
/// in-place change is then discarded, and an issue with code `lostUpdate` names the key and the discarded value.
///
/// `increment(_:by:)`, `modify(_:_:)` and ``transaction(_:)`` never lose an update, not even to another process.
@dynamicMemberLookup
public struct DefaultsAdapter<KeyStore: DefaultsKeyStore> {
    /// The key store, whose properties declare the keys of this adapter.
    public let keyStore: KeyStore
    /// The store and caches of this adapter, or `nil` to use the device's storage, which `withDefaults(_:operation:)` can replace.
    @usableFromInline let ownPlace: DefaultsPlace?
    // Stored because building a type's name takes a microsecond.
    @usableFromInline let identity = KeyStoreIdentity(KeyStore.self)

    /// Creates an adapter over a store.
    ///
    /// - Parameters:
    ///   - store: The store that holds the values.
    ///   - keyStore: The key store, whose properties declare the available keys.
    ///   - layers: Sources that are read before the store, in this order.
    public init(store: any KeyValueStore, keyStore: KeyStore, layers: [DefaultsLayer] = []) {
        self.init(place: DefaultsPlace(UserDefaultsFacade(store), layers: layers), keyStore: keyStore)
    }

    /// Creates an adapter over a `UserDefaults` object.
    ///
    /// - Parameters:
    ///   - defaults: The object that holds the values, to which each change is written immediately.
    ///   - keyStore: The key store, whose properties declare the available keys.
    ///   - layers: Sources that are read before `defaults`, in this order.
    public init(defaults: UserDefaults, keyStore: KeyStore, layers: [DefaultsLayer] = []) {
        self.init(place: DefaultsPlace(defaults.facade, layers: layers), keyStore: keyStore)
    }

    /// Creates an adapter over the device's storage, which `withDefaults(_:operation:)` can replace.
    ///
    /// - Parameter keyStore: The key store, whose properties declare the available keys.
    public init(keyStore: KeyStore) { self.init(place: nil, keyStore: keyStore) }

    private init(place: DefaultsPlace?, keyStore: KeyStore) {
        self.keyStore = keyStore
        ownPlace = place
    }

    @inlinable var place: DefaultsPlace { ownPlace ?? DefaultsPlace.current }

    /// A copy of this adapter that is bound to the adapter's current store.
    ///
    /// Pass the copy to queues and threads, which don't inherit the store that `withDefaults(_:operation:)` sets.
    public var resolved: DefaultsAdapter { DefaultsAdapter(place: place, keyStore: keyStore) }

    /// The store that holds the values.
    public var store: any KeyValueStore { place.store }

    /// A `UserDefaults` object that reads from the adapter's layers and store, and writes to the store.
    ///
    /// Bridges receive this object.
    public var defaults: UserDefaults { place.facade.userDefaults }

    /// The value of a key, or the key's default if nothing is stored or the stored value can't be read.
    public subscript<Value: DefaultsSerializable>(key key: DefaultsKey<Value>) -> Value.T {
        @inlinable get { place.quickValue(of: key) }
        @inlinable nonmutating set { place.quickSet(newValue, for: key, of: identity) }
        @inlinable nonmutating _modify {
            let place = place
            let begun = place.beginChange(of: key)
            var value = begun.value
            // The change also ends here if the caller throws, because a property keeps the changes that were made before an error.
            defer { place.end(begun.change, with: value, of: key, identity) }
            yield &value
        }
    }

    // These subscripts call the one above, because only then does the optimizer replace a literal key path with its property. A read then
    // takes 24 ns instead of 105 ns.

    /// The value of the key at a key path, or the key's default if nothing is stored or the stored value can't be read.
    public subscript<Value: DefaultsSerializable>(keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Value.T {
        @inlinable get { self[key: keyStore[keyPath: keyPath]] }
        @inlinable nonmutating set { self[key: keyStore[keyPath: keyPath]] = newValue }
        @inlinable nonmutating _modify { yield &self[key: keyStore[keyPath: keyPath]] }
    }

    /// The value of the key at a key path, or the key's default if nothing is stored or the stored value can't be read.
    public subscript<Value: DefaultsSerializable>(
        dynamicMember keyPath: KeyPath<KeyStore, DefaultsKey<Value>>
    ) -> Value.T {
        @inlinable get { self[keyPath] }
        @inlinable nonmutating set { self[keyPath] = newValue }
        @inlinable nonmutating _modify { yield &self[key: keyStore[keyPath: keyPath]] }
    }
}

// The compiler chooses these subscripts for the syntax of SwiftyUserDefaults 4 and Defaults, and prints their messages.
extension DefaultsAdapter {
    /// Rejects a standalone key without the `key:` label at compile time, with a message that shows the correct syntax.
    ///
    /// This subscript is never called.
    @available(
        *,
        unavailable,
        message:
            "Write Defaults[key: k] for a standalone key. For a key of the key store, declare `var k: DefaultsKey<T> { .init(...) }` and write Defaults[\\.k] or Defaults.k."
    )
    public subscript<Value: DefaultsSerializable>(_ key: DefaultsKey<Value>) -> Value.T {
        get { key.defaultValue }
        nonmutating set {}
    }

    /// Rejects `Defaults[.k]` at compile time, with a message that shows the correct syntax.
    ///
    /// This subscript is never called.
    @available(
        *,
        unavailable,
        message: "Declare `var k: DefaultsKey<T> { .init(...) }` and write Defaults[\\.k] or Defaults.k."
    )
    public subscript<Value>(_ key: KeyStore) -> Value {
        // There is no value to return, and this code never runs.
        get { while true {} }
        nonmutating set {}
    }
}

extension DefaultsAdapter: Sendable where KeyStore: Sendable {}
