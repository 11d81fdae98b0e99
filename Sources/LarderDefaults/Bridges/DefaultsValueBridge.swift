public import Foundation
public import LarderCore

/// The bridge for the types that every store holds directly.
open class DefaultsValueBridge<T: StorableValue>: DefaultsCodecBridge<T> {
    /// A bridge.
    public init() { super.init(ValueCodec()) }
}

/// The bridge for `String`.
open class DefaultsStringBridge: DefaultsValueBridge<String> {}

/// The bridge for `Int`.
open class DefaultsIntBridge: DefaultsValueBridge<Int> {}

/// The bridge for `Double`.
open class DefaultsDoubleBridge: DefaultsValueBridge<Double> {}

/// The bridge for `Bool`.
open class DefaultsBoolBridge: DefaultsValueBridge<Bool> {}

/// The bridge for `Data`.
open class DefaultsDataBridge: DefaultsValueBridge<Data> {}

/// The bridge for `URL`: the whole address, on every platform.
open class DefaultsUrlBridge: DefaultsValueBridge<URL> {
    /// `true`: a URL is kept as its text.
    ///
    /// - Returns: `true`
    open override func isSerialized() -> Bool { true }
}
