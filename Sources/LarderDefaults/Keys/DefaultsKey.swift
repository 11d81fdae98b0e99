import LarderCore

/// The name, type and default value of one setting.
///
/// ```swift
/// extension DefaultsKeys {
///     var launchCount: DefaultsKey<Int> { .init("launchCount", defaultValue: 0) }
///     var userName: DefaultsKey<String?> { .init("userName") }
///     var volume: DefaultsKey<Double> { .init("volume", was: "loudness", defaultValue: 0.5, validation: .clamp(to: 0...1)) }
/// }
/// Defaults[\.launchCount] += 1
/// ```
///
/// The default stands in the key alone: it is returned while nothing is stored, and never written by reading. An optional key
/// may have one too; setting such a key to `nil` removes what is stored, so that it reads as its default again.
///
/// Two keys are equal when they have the same value type and the same name, byte for byte.
public struct DefaultsKey<ValueType: DefaultsSerializable> {
    /// The name under which the value is stored: any text, dots included.
    public let _key: String
    @usableFromInline let source: DefaultSource<ValueType.T>
    /// What most keys have none of: former names, validation, a version.
    @usableFromInline let rules: DefaultsKeyRules<ValueType.T>?

    /// What is read while nothing is stored; a dynamic one is worked out anew each time.
    @inlinable public var defaultValue: ValueType.T {
        switch source {
        case .value(let value): value
        case .closure(let make): make()
        }
    }

    /// A key with a default value.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - defaultValue: What is read while nothing is stored.
    @inlinable
    public init(_ key: String, defaultValue: ValueType.T) {
        self.init(name: key, source: .value(defaultValue), rules: nil)
    }

    /// A key with a default that is worked out whenever it is needed, and not before.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - defaultValue: Called on the reading thread while nothing is stored; it may read other keys.
    public init(_ key: String, dynamicDefault defaultValue: @escaping @Sendable () -> ValueType.T) {
        self.init(name: key, source: .closure(defaultValue), rules: nil)
    }

    @inlinable
    init(name: String, source: DefaultSource<ValueType.T>, rules: DefaultsKeyRules<ValueType.T>?) {
        _key = name
        self.source = source
        self.rules = rules
    }

    /// The same key with its rules changed.
    func with(_ rules: DefaultsKeyRules<ValueType.T>) -> DefaultsKey {
        DefaultsKey(name: _key, source: source, rules: rules)
    }
}

/// Where a default comes from.
@usableFromInline
enum DefaultSource<Value> {
    case value(Value)
    case closure(@Sendable () -> Value)
}

extension DefaultSource: Sendable where Value: Sendable {}

extension DefaultsKey where ValueType.T == ValueType {
    /// A key whose type is that of its default: `DefaultsKey("launchCount", defaultValue: 0)`.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - defaultValue: What is read while nothing is stored.
    @inlinable
    public init(_ key: String, defaultValue: ValueType) {
        self.init(name: key, source: .value(defaultValue), rules: nil)
    }

    /// A key whose type is that of its default, which is worked out whenever it is needed, and not before.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - defaultValue: Called on the reading thread while nothing is stored; it may read other keys.
    public init(_ key: String, dynamicDefault defaultValue: @escaping @Sendable () -> ValueType) {
        self.init(name: key, source: .closure(defaultValue), rules: nil)
    }
}

extension DefaultsKey where ValueType.T: ExpressibleByNilLiteral {
    /// An optional key, which reads as `nil` while nothing is stored.
    ///
    /// - Parameter key: The name under which the value is stored.
    @inlinable
    public init(_ key: String) { self.init(key, defaultValue: nil) }

    /// An optional key that had another name.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - formerName: Read while nothing is stored under `key`; removed when the key is written or removed.
    public init(_ key: String, was formerName: String) { self.init(key, was: formerName, defaultValue: nil) }
}

// Chosen by the compiler when the initialiser above does not fit, to say what to do.
extension DefaultsKey {
    /// Stands for a key that is not optional and has no default; it never runs.
    @available(
        *,
        unavailable,
        message: "A key that is not optional needs a default: DefaultsKey<T>(\"name\", defaultValue: value)."
    )
    public init(_ key: String) {
        // There is no value to give the property, and no call ever comes here.
        while true {}
    }
}

extension DefaultsKey: Sendable where ValueType.T: Sendable {}

extension DefaultsKey: Hashable {
    /// Whether both names have the same bytes; the value type is the same already.
    public static func == (left: DefaultsKey, right: DefaultsKey) -> Bool {
        StoreKey(left._key) == StoreKey(right._key)
    }

    /// Hashes the name and the value type.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(StoreKey(_key))
        hasher.combine(ObjectIdentifier(ValueType.self))
    }
}
