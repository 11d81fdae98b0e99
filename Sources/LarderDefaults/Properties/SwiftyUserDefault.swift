/// A property that is a typed key, for classes, structs and globals alike.
///
/// ```swift
/// @SwiftyUserDefault(keyPath: \.launchCount, options: .observed)
/// var launchCount: Int
/// ```
///
/// It reads and writes the adapter it was given, ``Defaults`` unless it says otherwise. Changes in place are atomic as the
/// adapter's are. Safe from any thread.
@propertyWrapper
public final class SwiftyUserDefault<Value: DefaultsSerializable & SendableMetatype>: Sendable where Value.T: Sendable {
    /// How the property works.
    public let options: SwiftyUserDefaultOptions
    private let wrapped: WrappedKey<Value>
    /// Where a value is found without any look elsewhere.
    @usableFromInline let quickCache: ValueCache<Value.T>?

    /// The key.
    public var key: DefaultsKey<Value> { wrapped.key }

    /// A property for a key of an adapter.
    ///
    /// - Parameters:
    ///   - keyPath: The key.
    ///   - adapter: What is read and written.
    ///   - options: How the property works.
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

    /// A property for a key of ``Defaults``.
    ///
    /// - Parameters:
    ///   - keyPath: The key.
    ///   - options: How the property works.
    public convenience init(
        keyPath: KeyPath<DefaultsKeys, DefaultsKey<Value>>,
        options: SwiftyUserDefaultOptions = []
    ) {
        self.init(keyPath: keyPath, adapter: Defaults, options: options)
    }

    @usableFromInline var currentValue: Value.T { wrapped.value }

    /// The value of the key; its default while nothing is stored or what is stored can't be read.
    public var wrappedValue: Value.T {
        @inlinable get { quickCache?.kept ?? currentValue }
        set { wrapped.value = newValue }
        _modify { yield &wrapped.value }
    }
}

/// How a ``SwiftyUserDefault`` property works.
public struct SwiftyUserDefaultOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Options by their bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The value is read once; later only what is written through this property is noticed.
    public static let cached = SwiftyUserDefaultOptions(rawValue: 1)
    /// The value is read once and again after each change, whoever makes it; `withObservationTracking` sees such a change.
    public static let observed = SwiftyUserDefaultOptions(rawValue: 4)
}
