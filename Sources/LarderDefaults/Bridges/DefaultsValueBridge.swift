public import Foundation
public import LarderCore

/// A bridge that stores values directly, without encoding them.
open class DefaultsValueBridge<T: StorableValue>: DefaultsCodecBridge<T> {
    /// Creates a bridge that stores values without encoding them.
    public init() { super.init(ValueCodec()) }
}

/// A bridge that stores `String` values directly.
open class DefaultsStringBridge: DefaultsValueBridge<String> {}

/// A bridge that stores `Int` values directly.
open class DefaultsIntBridge: DefaultsValueBridge<Int> {}

/// A bridge that stores `Double` values directly.
open class DefaultsDoubleBridge: DefaultsValueBridge<Double> {}

/// A bridge that stores `Bool` values directly.
open class DefaultsBoolBridge: DefaultsValueBridge<Bool> {}

/// A bridge that stores `Data` values directly.
open class DefaultsDataBridge: DefaultsValueBridge<Data> {}

/// A bridge for `URL` that stores the absolute string on every platform.
open class DefaultsUrlBridge: DefaultsValueBridge<URL> {
    /// Always returns `true`, because this bridge stores a URL as a string.
    open override func isSerialized() -> Bool { true }
}
