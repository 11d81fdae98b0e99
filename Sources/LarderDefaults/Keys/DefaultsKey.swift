import LarderCore

/// A typed key, which declares the name, type and default value of one setting.
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
/// A key returns its default if nothing is stored. Reading never writes the default. An optional key may have a default, too. Setting such
/// a key to `nil` removes the stored value, so that reads return the default again.
///
/// Two keys are equal if they have the same value type and the same name, byte for byte.
public struct DefaultsKey<ValueType: DefaultsSerializable> {
    /// The name under which the value is stored.
    ///
    /// Any string is a valid name, including a string that contains dots.
    public let _key: String
    @usableFromInline let source: DefaultSource<ValueType.T>
    /// The former names, validation and version, or `nil` if the key has none of these.
    @usableFromInline let rules: DefaultsKeyRules<ValueType.T>?

    /// The value to return if nothing is stored.
    ///
    /// A dynamic default is computed on each access.
    @inlinable public var defaultValue: ValueType.T {
        switch source {
        case .value(let value): value
        case .closure(let make): make()
        }
    }

    /// Creates a key with a default value.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - defaultValue: The value to return if nothing is stored.
    @inlinable
    public init(_ key: String, defaultValue: ValueType.T) {
        self.init(name: key, source: .value(defaultValue), rules: nil)
    }

    /// Creates a key with a default that is computed on each access.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - defaultValue: A closure that returns the default. The closure runs on the reading thread and may read other keys.
    public init(_ key: String, dynamicDefault defaultValue: @escaping @Sendable () -> ValueType.T) {
        self.init(name: key, source: .closure(defaultValue), rules: nil)
    }

    @inlinable
    init(name: String, source: DefaultSource<ValueType.T>, rules: DefaultsKeyRules<ValueType.T>?) {
        _key = name
        self.source = source
        self.rules = rules
    }

    /// Returns a copy of this key with the given former names, validation and version.
    func with(_ rules: DefaultsKeyRules<ValueType.T>) -> DefaultsKey {
        DefaultsKey(name: _key, source: source, rules: rules)
    }
}

/// The default of a key, as a value or as a closure that computes the value.
@usableFromInline
enum DefaultSource<Value> {
    case value(Value)
    case closure(@Sendable () -> Value)
}

extension DefaultSource: Sendable where Value: Sendable {}

extension DefaultsKey where ValueType.T == ValueType {
    /// Creates a key whose type is inferred from its default, as in `DefaultsKey("launchCount", defaultValue: 0)`.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - defaultValue: The value to return if nothing is stored.
    @inlinable
    public init(_ key: String, defaultValue: ValueType) {
        self.init(name: key, source: .value(defaultValue), rules: nil)
    }

    /// Creates a key whose default is computed on each access.
    ///
    /// The key's type is inferred from the default.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - defaultValue: A closure that returns the default. The closure runs on the reading thread and may read other keys.
    public init(_ key: String, dynamicDefault defaultValue: @escaping @Sendable () -> ValueType) {
        self.init(name: key, source: .closure(defaultValue), rules: nil)
    }
}

extension DefaultsKey where ValueType.T: ExpressibleByNilLiteral {
    /// Creates a key for an optional value whose default is `nil`.
    ///
    /// - Parameter key: The name under which the value is stored.
    @inlinable
    public init(_ key: String) { self.init(key, defaultValue: nil) }

    /// Creates a key for an optional value that may still be stored under a former name.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - formerName: A name to read if nothing is stored under `key`. Writing or removing the key also removes the value under this name.
    public init(_ key: String, was formerName: String) { self.init(key, was: formerName, defaultValue: nil) }
}

// The compiler chooses this initializer if no other initializer fits, and prints its message.
extension DefaultsKey {
    /// Rejects a non-optional key without a default at compile time.
    ///
    /// This initializer is never called. The compiler prints its message.
    @available(
        *,
        unavailable,
        message:
            "A key whose type is not optional needs a default. Write DefaultsKey<T>(\"name\", defaultValue: value)."
    )
    public init(_ key: String) {
        // There is no value for the property, and this code never runs.
        while true {}
    }
}

extension DefaultsKey: Sendable where ValueType.T: Sendable {}

extension DefaultsKey: Hashable {
    /// Returns whether two keys have the same name, compared bytewise.
    public static func == (left: DefaultsKey, right: DefaultsKey) -> Bool {
        StoreKey(left._key) == StoreKey(right._key)
    }

    /// Hashes the key's name and value type.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(StoreKey(_key))
        hasher.combine(ObjectIdentifier(ValueType.self))
    }
}
