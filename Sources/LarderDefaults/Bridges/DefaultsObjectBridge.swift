public import Foundation
import LarderDeviceStorage

/// A bridge for any value that `UserDefaults.set(_:forKey:)` accepts and `object(forKey:)` returns.
///
/// `T` is unconstrained. If a value can't be stored, the previous value is kept and a `LarderIssue` is reported. Prefer
/// ``DefaultsValueBridge`` or ``DefaultsCodableBridge``, which reject such types at compile time.
open class DefaultsObjectBridge<T>: DefaultsBridge<T> {
    /// Returns the stored object if it is a `T`.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - userDefaults: The `UserDefaults` object to read from.
    /// - Returns: The object, or `nil` if nothing is stored or the object is not a `T`.
    open override func get(key: String, userDefaults: UserDefaults) -> T? {
        userDefaults.facade.object(forKey: key) as? T
    }

    /// Stores the value without encoding it.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - value: The value to write, or `nil` to remove the stored value.
    ///   - userDefaults: The `UserDefaults` object to write to.
    open override func save(key: String, value: T?, userDefaults: UserDefaults) {
        userDefaults.facade.setOrRemove(value, forKey: key)
    }
}

/// A bridge for arrays that `UserDefaults` can store directly, such as `[String]`.
///
/// The elements are unconstrained. If an array can't be stored, the previous value is kept and a `LarderIssue` is reported.
open class DefaultsArrayBridge<T: Collection>: DefaultsBridge<T> {
    /// Returns the array if all its elements have the expected type.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - userDefaults: The `UserDefaults` object to read from.
    /// - Returns: The array, or `nil` if nothing is stored or an element has another type.
    open override func get(key: String, userDefaults: UserDefaults) -> T? {
        userDefaults.facade.array(forKey: key) as? T
    }

    /// Stores the array without encoding its elements.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - value: The array to write, or `nil` to remove the stored array.
    ///   - userDefaults: The `UserDefaults` object to write to.
    open override func save(key: String, value: T?, userDefaults: UserDefaults) {
        userDefaults.facade.setOrRemove(value.map { Array($0) }, forKey: key)
    }
}

extension UserDefaults {
    fileprivate func setOrRemove<Value>(_ value: Value?, forKey key: String) {
        if let value { set(value as Any, forKey: key) } else { removeObject(forKey: key) }
    }
}
