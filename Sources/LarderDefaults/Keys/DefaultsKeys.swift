/// A type whose properties declare keys, which a ``DefaultsAdapter`` accesses by key path.
public protocol DefaultsKeyStore {
    /// The name under which a store records the keys that were written through this type.
    ///
    /// ``DefaultsAdapter/removeAll()`` removes the values of the recorded keys. The default name is the type's full name. If you rename the
    /// type, return its former full name, such as "App.Settings". Otherwise `removeAll` does not remove the values of keys that were
    /// written before the type was renamed.
    static var keyStoreName: String { get }
}

extension DefaultsKeyStore {
    /// The type's full name, including its module.
    public static var keyStoreName: String { String(reflecting: Self.self) }
}

/// The type of a key store, and the name under which a store records its written keys.
@usableFromInline
struct KeyStoreIdentity: Sendable {
    let type: ObjectIdentifier
    let name: String

    init<KeyStore: DefaultsKeyStore>(_ type: KeyStore.Type) {
        self.type = ObjectIdentifier(type)
        name = KeyStore.keyStoreName
    }
}

/// The key store of ``Defaults``.
///
/// Extend this type with a computed property for each key.
public struct DefaultsKeys: DefaultsKeyStore, Sendable {
    /// Creates a key store.
    ///
    /// All instances are interchangeable.
    public init() {}
}
