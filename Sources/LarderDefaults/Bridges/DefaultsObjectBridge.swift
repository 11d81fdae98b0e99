public import Foundation
import LarderDeviceStorage

/// The bridge for whatever `UserDefaults.set(_:forKey:)` takes and `object(forKey:)` returns.
///
/// It asks nothing of `T`. A value that can't be stored is not: the earlier one stays, and a ``LarderCore/LarderIssue`` says
/// so. Prefer ``DefaultsValueBridge`` or ``DefaultsCodableBridge``, with which such a type does not compile.
open class DefaultsObjectBridge<T>: DefaultsBridge<T> {
    /// Reads what is stored, if it is a `T`.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - userDefaults: Where to read.
    /// - Returns: The object, or `nil` when there is none or it is not a `T`.
    open override func get(key: String, userDefaults: UserDefaults) -> T? {
        userDefaults.facade.object(forKey: key) as? T
    }

    /// Stores the value as it is.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - value: The value; `nil` removes what is there.
    ///   - userDefaults: Where to write.
    open override func save(key: String, value: T?, userDefaults: UserDefaults) {
        userDefaults.facade.setOrRemove(value, forKey: key)
    }
}

/// The bridge for arrays of what `UserDefaults` stores as it is, such as `[String]`.
///
/// It asks nothing of the elements. An array that can't be stored is not: the earlier one stays, and a
/// ``LarderCore/LarderIssue`` says so.
open class DefaultsArrayBridge<T: Collection>: DefaultsBridge<T> {
    /// Reads the array, if all of it has the right type.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - userDefaults: Where to read.
    /// - Returns: The array, or `nil` when there is none or an element has another type.
    open override func get(key: String, userDefaults: UserDefaults) -> T? {
        userDefaults.facade.array(forKey: key) as? T
    }

    /// Stores the elements as they are.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - value: The array; `nil` removes what is there.
    ///   - userDefaults: Where to write.
    open override func save(key: String, value: T?, userDefaults: UserDefaults) {
        userDefaults.facade.setOrRemove(value.map { Array($0) }, forKey: key)
    }
}

extension UserDefaults {
    fileprivate func setOrRemove<Value>(_ value: Value?, forKey key: String) {
        if let value { set(value as Any, forKey: key) } else { removeObject(forKey: key) }
    }
}
