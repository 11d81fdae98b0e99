/// A property that reads, writes and caches the value of a typed key.
///
/// `withObservationTracking` tracks changes to the value, regardless of which code makes them.
///
/// ```swift
/// final class Player {
///     @DefaultsValue(\.volume) var volume
///     @DefaultsValue(muteKey, in: groupDefaults) var isMuted
/// }
/// ```
///
/// A read accesses the store only if the value has changed since the last read. In-place changes are as atomic as in-place changes made
/// through the adapter. The property is thread-safe. The `onChange` closure of `withObservationTracking` runs after the commit, on a
/// committing thread.
@propertyWrapper
public final class DefaultsValue<Value: DefaultsSerializable & SendableMetatype>: Sendable where Value.T: Sendable {
    private let wrapped: WrappedKey<Value>

    /// Creates a property that reads and writes a key of ``Defaults``.
    ///
    /// - Parameter keyPath: The path from ``DefaultsKeys`` to the key.
    public convenience init(_ keyPath: KeyPath<DefaultsKeys, DefaultsKey<Value>>) {
        self.init(Defaults.keyStore[keyPath: keyPath], in: Defaults)
    }

    /// Creates a property that reads and writes a key through an adapter.
    ///
    /// - Parameters:
    ///   - key: The key whose value this property holds.
    ///   - adapter: The adapter through which to read and write.
    public init<KeyStore: DefaultsKeyStore>(_ key: DefaultsKey<Value>, in adapter: DefaultsAdapter<KeyStore>) {
        wrapped = WrappedKey(key, adapter: adapter, isCached: true, isObserved: true)
    }

    /// The value of the key, or the key's default if nothing is stored or the stored value can't be read.
    public var wrappedValue: Value.T {
        get { wrapped.value }
        set { wrapped.value = newValue }
        _modify { yield &wrapped.value }
    }
}
