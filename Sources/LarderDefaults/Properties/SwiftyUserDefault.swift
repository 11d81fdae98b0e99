/// A property that reads and writes the value of a typed key, for use in classes and structs and as a global variable.
///
/// ```swift
/// @SwiftyUserDefault(keyPath: \.launchCount, options: .observed)
/// var launchCount: Int
/// ```
///
/// The property reads and writes through the given adapter, which is ``Defaults`` by default. In-place changes are as atomic as those
/// made through the adapter. The property is thread-safe.
@propertyWrapper
public final class SwiftyUserDefault<Value: DefaultsSerializable & SendableMetatype>: Sendable where Value.T: Sendable {
    /// The options that were passed to the initializer.
    public let options: SwiftyUserDefaultOptions
    private let wrapped: WrappedKey<Value>
    /// The cache to read the value from, or `nil` if a read needs more than a cache lookup.
    @usableFromInline let quickCache: ValueCache<Value.T>?

    /// The key that this property reads and writes.
    public var key: DefaultsKey<Value> { wrapped.key }

    /// Creates a property that reads and writes a key through an adapter.
    ///
    /// - Parameters:
    ///   - keyPath: The path from the key store to the key.
    ///   - adapter: The adapter through which to read and write.
    ///   - options: Whether to cache or observe the value.
    public init<KeyStore: DefaultsKeyStore>(
        keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        adapter: DefaultsAdapter<KeyStore>,
        options: SwiftyUserDefaultOptions = []
    ) {
        self.options = options
        wrapped = WrappedKey(
            adapter.keyStore[keyPath: keyPath],
            adapter: adapter,
            isCached: options.contains(.cached),
            isObserved: options.contains(.observed)
        )
        quickCache = wrapped.quickCache
    }

    /// Creates a property that reads and writes a key of ``Defaults``.
    ///
    /// - Parameters:
    ///   - keyPath: The path from the key store to the key.
    ///   - options: Whether to cache or observe the value.
    public convenience init(
        keyPath: KeyPath<DefaultsKeys, DefaultsKey<Value>>,
        options: SwiftyUserDefaultOptions = []
    ) {
        self.init(keyPath: keyPath, adapter: Defaults, options: options)
    }

    @usableFromInline var currentValue: Value.T { wrapped.value }

    /// The value of the key, or the key's default if nothing is stored or the stored value can't be read.
    public var wrappedValue: Value.T {
        @inlinable get { quickCache?.kept ?? currentValue }
        set { wrapped.value = newValue }
        _modify { yield &wrapped.value }
    }
}

/// The options of a ``SwiftyUserDefault`` property.
public struct SwiftyUserDefaultOptions: OptionSet, Sendable {
    /// The bit mask of the options.
    public let rawValue: Int

    /// Creates options from a bit mask.
    ///
    /// - Parameter rawValue: The bit mask.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The property caches the value at the first read, and then ignores changes that other code makes.
    public static let cached = SwiftyUserDefaultOptions(rawValue: 1)
    /// The property caches the value until any code changes it, and `withObservationTracking` tracks these changes.
    public static let observed = SwiftyUserDefaultOptions(rawValue: 4)
}
