public import Foundation

// Every conformance is spelled out: a default by `StorableValue` would compete with the one by `Codable`.

extension String: DefaultsSerializable {
    /// The text, byte for byte.
    public static var _defaults: DefaultsBridge<String> { DefaultsStringBridge() }
}

extension Bool: DefaultsSerializable {
    /// The truth value.
    public static var _defaults: DefaultsBridge<Bool> { DefaultsBoolBridge() }
}

extension Double: DefaultsSerializable {
    /// The number, bit for bit.
    public static var _defaults: DefaultsBridge<Double> { DefaultsDoubleBridge() }
}

extension Float: DefaultsSerializable {
    /// The number, bit for bit.
    public static var _defaults: DefaultsBridge<Float> { DefaultsValueBridge() }
}

extension Data: DefaultsSerializable {
    /// The bytes.
    public static var _defaults: DefaultsBridge<Data> { DefaultsDataBridge() }
    /// An array of bytes.
    public static var _defaultsArray: DefaultsBridge<[Data]> { _defaults.makeArrayBridge() }
}

extension Date: DefaultsSerializable {
    /// The moment, bit for bit.
    public static var _defaults: DefaultsBridge<Date> { DefaultsValueBridge() }
}

extension URL: DefaultsSerializable {
    /// The whole address.
    public static var _defaults: DefaultsBridge<URL> { DefaultsUrlBridge() }
}

extension Int: DefaultsSerializable {
    /// The number.
    public static var _defaults: DefaultsBridge<Int> { DefaultsIntBridge() }
}

extension Int8: DefaultsSerializable {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<Int8> { DefaultsValueBridge() }
}

extension Int16: DefaultsSerializable {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<Int16> { DefaultsValueBridge() }
}

extension Int32: DefaultsSerializable {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<Int32> { DefaultsValueBridge() }
}

extension Int64: DefaultsSerializable {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<Int64> { DefaultsValueBridge() }
}

extension UInt: DefaultsSerializable {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<UInt> { DefaultsValueBridge() }
}

extension UInt8: DefaultsSerializable {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<UInt8> { DefaultsValueBridge() }
}

extension UInt16: DefaultsSerializable {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<UInt16> { DefaultsValueBridge() }
}

extension UInt32: DefaultsSerializable {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<UInt32> { DefaultsValueBridge() }
}

extension UInt64: DefaultsSerializable {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<UInt64> { DefaultsValueBridge() }
}
