/// A type whose properties are keys, for the key paths of a ``DefaultsAdapter``.
public protocol DefaultsKeyStore {
    /// What ``DefaultsAdapter/removeAll()`` remembers the names of written keys under: the name of the type, unless it says otherwise.
    ///
    /// When you rename the type, return its earlier full name, such as "App.Settings", or what it wrote before stays behind.
    static var keyStoreName: String { get }
}

extension DefaultsKeyStore {
    /// The full name of the type, its module included.
    public static var keyStoreName: String { String(reflecting: Self.self) }
}

/// Which key store it is: by its type in this process, and by its name for ever.
@usableFromInline
struct KeyStoreIdentity: Sendable {
    let type: ObjectIdentifier
    let name: String

    @usableFromInline
    init(type: ObjectIdentifier, name: String) {
        self.type = type
        self.name = name
    }

    init<KeyStore: DefaultsKeyStore>(_ type: KeyStore.Type) {
        self.init(type: ObjectIdentifier(type), name: KeyStore.keyStoreName)
    }
}

/// The keys that ``Defaults`` knows: extend it with a property for each.
public struct DefaultsKeys: DefaultsKeyStore, Sendable {
    /// The keys.
    public init() {}
}
