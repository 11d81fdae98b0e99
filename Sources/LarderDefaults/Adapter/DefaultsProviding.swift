/// A type that reads and writes values with typed keys, such as ``DefaultsAdapter`` or a mock in a test.
///
/// Most tests need no mock. Pass a memory store to ``withDefaults(_:operation:)-(_,()->Result)`` instead.
///
/// Implement ``subscript(key:)``, ``hasKey(_:)``, ``remove(_:)`` and ``removeAll()``. Implement ``keyStore`` unless its type is
/// ``DefaultsKeys``. The other subscripts have default implementations.
@dynamicMemberLookup
public protocol DefaultsProviding<KeyStore> {
    /// The type of the key store, whose properties declare the available keys.
    associatedtype KeyStore: DefaultsKeyStore

    /// The key store, whose properties declare the available keys.
    var keyStore: KeyStore { get }
    /// The value of a key, or the key's default if the key has no value.
    subscript<Value: DefaultsSerializable>(key key: DefaultsKey<Value>) -> Value.T { get nonmutating set }
    /// The value of the key at a key path, or the key's default if the key has no value.
    subscript<Value: DefaultsSerializable>(keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Value.T {
        get nonmutating set
    }
    /// The value of the key at a key path, or the key's default if the key has no value.
    subscript<Value: DefaultsSerializable>(dynamicMember keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Value.T {
        get nonmutating set
    }
    /// Returns whether the key at a key path has a value.
    func hasKey<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Bool
    /// Removes the stored value of the key at a key path.
    func remove<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>)
    /// Removes the stored values of all keys that this provider manages.
    func removeAll()
}

extension DefaultsProviding where KeyStore == DefaultsKeys {
    /// The default key store, which is an instance of ``DefaultsKeys``.
    public var keyStore: DefaultsKeys { DefaultsKeys() }
}

extension DefaultsProviding {
    /// The value of the key at a key path, or the key's default if the key has no value.
    public subscript<Value: DefaultsSerializable>(keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Value.T {
        get { self[key: keyStore[keyPath: keyPath]] }
        nonmutating set { self[key: keyStore[keyPath: keyPath]] = newValue }
    }

    /// The value of the key at a key path, or the key's default if the key has no value.
    public subscript<Value: DefaultsSerializable>(
        dynamicMember keyPath: KeyPath<KeyStore, DefaultsKey<Value>>
    ) -> Value.T {
        get { self[key: keyStore[keyPath: keyPath]] }
        nonmutating set { self[key: keyStore[keyPath: keyPath]] = newValue }
    }
}

extension DefaultsAdapter: DefaultsProviding {}
