/// The type of a key that holds any value that `UserDefaults` can store, such as a `[String: Any]`.
///
/// ```swift
/// extension DefaultsKeys {
///     var profile: DefaultsKey<DefaultsAnyDictionary> { .init("profile", defaultValue: [:]) }
/// }
/// Defaults.profile["name"] = "Ada"
/// ```
///
/// Values are stored directly by a ``DefaultsObjectBridge``. If a value can't be stored, the previous value is kept and a `LarderIssue` is
/// reported. Prefer a specific type, which is checked at compile time.
public enum DefaultsObject<Value>: DefaultsSerializable {
    /// A bridge that stores any value that `UserDefaults.set(_:forKey:)` accepts.
    public static var _defaults: DefaultsBridge<Value> { DefaultsObjectBridge() }
    /// A bridge that stores an array of values that `UserDefaults.set(_:forKey:)` accepts.
    public static var _defaultsArray: DefaultsBridge<[Value]> { DefaultsObjectBridge() }
}

/// The type of a key that holds a dictionary whose values `UserDefaults` can store.
public typealias DefaultsAnyDictionary = DefaultsObject<[String: Any]>
