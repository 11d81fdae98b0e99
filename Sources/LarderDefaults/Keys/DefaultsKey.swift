/// The name, type and default value of one setting.
///
/// ```swift
/// extension DefaultsKeys {
///     var launchCount: DefaultsKey<Int> { .init("launchCount", defaultValue: 0) }
///     var userName: DefaultsKey<String?> { .init("userName") }
/// }
/// Defaults[\.launchCount] += 1
/// ```
///
/// The default stands in the key alone: it is returned while nothing is stored, and never written by reading. An optional key
/// may have one too; setting such a key to `nil` removes what is stored, so that it reads as its default again.
public struct DefaultsKey<ValueType: DefaultsSerializable> {
    /// The name under which the value is stored: any text, dots included.
    public let _key: String
    /// What is read while nothing is stored.
    public let defaultValue: ValueType.T

    /// A key with a default value.
    ///
    /// - Parameters:
    ///   - key: The name under which the value is stored.
    ///   - defaultValue: What is read while nothing is stored.
    public init(_ key: String, defaultValue: ValueType.T) {
        _key = key
        self.defaultValue = defaultValue
    }
}

extension DefaultsKey where ValueType.T: ExpressibleByNilLiteral {
    /// An optional key, which reads as `nil` while nothing is stored.
    ///
    /// - Parameter key: The name under which the value is stored.
    public init(_ key: String) { self.init(key, defaultValue: nil) }
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
