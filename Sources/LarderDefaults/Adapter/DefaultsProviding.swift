/// What code needs that reads and writes typed keys, for passing something else in tests.
///
/// ``DefaultsAdapter`` is the one implementation here. A store in memory behind an adapter serves most tests better than an
/// implementation of your own: ``withDefaults(_:operation:)-(_,()->Result)``.
///
/// An implementation needs ``subscript(key:)``, ``hasKey(_:)``, ``remove(_:)`` and ``removeAll()``, and ``keyStore`` unless its keys are
/// ``DefaultsKeys``. The other subscripts follow from these.
@dynamicMemberLookup
public protocol DefaultsProviding<KeyStore> {
    /// Whose properties are the keys.
    associatedtype KeyStore: DefaultsKeyStore

    /// The keys.
    var keyStore: KeyStore { get }
    /// The value of a key.
    subscript<Value: DefaultsSerializable>(key key: DefaultsKey<Value>) -> Value.T { get nonmutating set }
    /// The value of a key of the key store.
    subscript<Value: DefaultsSerializable>(keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Value.T {
        get nonmutating set
    }
    /// The value of a key of the key store.
    subscript<Value: DefaultsSerializable>(dynamicMember keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Value.T {
        get nonmutating set
    }
    /// Whether there is a value under a key.
    func hasKey<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Bool
    /// Removes the value of a key.
    func remove<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>)
    /// Removes the values of all keys that are this adapter's.
    func removeAll()
}

extension DefaultsProviding where KeyStore == DefaultsKeys {
    /// The keys.
    public var keyStore: DefaultsKeys { DefaultsKeys() }
}

extension DefaultsProviding {
    /// The value of a key of the key store.
    public subscript<Value: DefaultsSerializable>(keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Value.T {
        get { self[key: keyStore[keyPath: keyPath]] }
        nonmutating set { self[key: keyStore[keyPath: keyPath]] = newValue }
    }

    /// The value of a key of the key store.
    public subscript<Value: DefaultsSerializable>(
        dynamicMember keyPath: KeyPath<KeyStore, DefaultsKey<Value>>
    ) -> Value.T {
        get { self[key: keyStore[keyPath: keyPath]] }
        nonmutating set { self[key: keyStore[keyPath: keyPath]] = newValue }
    }
}

extension DefaultsAdapter: DefaultsProviding {}
