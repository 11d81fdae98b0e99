/// A value of any type that `UserDefaults` holds, such as `[String: Any]`, for the type of a key.
///
/// ```swift
/// extension DefaultsKeys {
///     var profile: DefaultsKey<DefaultsAnyDictionary> { .init("profile", defaultValue: [:]) }
/// }
/// Defaults.profile["name"] = "Ada"
/// ```
///
/// It is stored as it is, by a ``DefaultsObjectBridge``. What can't be stored is not: the earlier value stays, and a
/// ``LarderCore/LarderIssue`` says so. Prefer a type whose values are known, with which such a key does not compile.
public enum DefaultsObject<Value>: DefaultsSerializable {
    /// Whatever `UserDefaults.set(_:forKey:)` takes.
    public static var _defaults: DefaultsBridge<Value> { DefaultsObjectBridge() }
    /// An array of such values.
    public static var _defaultsArray: DefaultsBridge<[Value]> { DefaultsObjectBridge() }
}

/// A dictionary of any values that `UserDefaults` holds, for the type of a key.
public typealias DefaultsAnyDictionary = DefaultsObject<[String: Any]>
