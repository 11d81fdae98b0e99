/// A property that follows a typed key: cached, and seen by `withObservationTracking` when it changes anywhere.
///
/// ```swift
/// final class Player {
///     @DefaultsValue(\.volume) var volume
///     @DefaultsValue(muteKey, in: groupDefaults) var isMuted
/// }
/// ```
///
/// Reading costs no look at the store until the value has changed. Changes in place are atomic as the adapter's are. Safe from any
/// thread; `onChange` runs on a thread that commits, after the commit.
@propertyWrapper
public final class DefaultsValue<Value: DefaultsSerializable & SendableMetatype>: Sendable where Value.T: Sendable {
    private let wrapped: WrappedKey<Value>

    /// A property for a key of ``Defaults``.
    ///
    /// - Parameter keyPath: The key.
    public convenience init(_ keyPath: KeyPath<DefaultsKeys, DefaultsKey<Value>>) {
        self.init(Defaults.keyStore[keyPath: keyPath], in: Defaults)
    }

    /// A property for any key in an adapter.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - adapter: What is read and written.
    public init<KeyStore: DefaultsKeyStore>(_ key: DefaultsKey<Value>, in adapter: DefaultsAdapter<KeyStore>) {
        wrapped = WrappedKey(key, adapter: adapter, isCached: true, isObserved: true)
    }

    /// The value of the key; its default while nothing is stored or what is stored can't be read.
    public var wrappedValue: Value.T {
        get { wrapped.value }
        set { wrapped.value = newValue }
        _modify { yield &wrapped.value }
    }
}
