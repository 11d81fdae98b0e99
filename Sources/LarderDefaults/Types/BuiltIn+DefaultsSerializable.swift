public import Foundation
public import LarderCore

// Every conformance is spelled out: a default by `StorableValue` would compete with the one by `Codable`.

extension String: DefaultsPlainValue {
    /// The text, byte for byte.
    public static var _defaults: DefaultsBridge<String> { DefaultsStringBridge() }
}

extension Bool: DefaultsPlainValue {
    /// The truth value.
    public static var _defaults: DefaultsBridge<Bool> { DefaultsBoolBridge() }
}

extension Double: DefaultsPlainValue {
    /// The number, bit for bit; every NaN as the one quiet NaN.
    public static var _defaults: DefaultsBridge<Double> { DefaultsDoubleBridge() }
    /// The number, bit for bit; every NaN as the one quiet NaN.
    @inlinable public static func _plainStored(_ value: Double) -> StoredValue? { .double(value.isNaN ? .nan : value) }
}

extension Float: DefaultsPlainValue {
    /// The number, bit for bit; every NaN as the one quiet NaN.
    public static var _defaults: DefaultsBridge<Float> { DefaultsValueBridge() }
    /// The number, bit for bit; every NaN as the one quiet NaN.
    @inlinable public static func _plainStored(_ value: Float) -> StoredValue? { .float(value.isNaN ? .nan : value) }
}

extension Data: DefaultsPlainValue {
    /// The bytes.
    public static var _defaults: DefaultsBridge<Data> { DefaultsDataBridge() }
    /// An array of bytes.
    public static var _defaultsArray: DefaultsBridge<[Data]> { bridge.makeArrayBridge() }
}

extension Date: DefaultsPlainValue {
    /// The moment, bit for bit; every NaN as the one quiet NaN.
    public static var _defaults: DefaultsBridge<Date> { DefaultsValueBridge() }
    /// The moment, bit for bit; every NaN as the one quiet NaN.
    @inlinable
    public static func _plainStored(_ value: Date) -> StoredValue? {
        .date(value.timeIntervalSinceReferenceDate.isNaN ? Date(timeIntervalSinceReferenceDate: .nan) : value)
    }
}

extension URL: DefaultsPlainValue {
    /// The whole address.
    public static var _defaults: DefaultsBridge<URL> { DefaultsUrlBridge() }
}

extension Int: DefaultsPlainValue {
    /// The number.
    public static var _defaults: DefaultsBridge<Int> { DefaultsIntBridge() }
}

extension Int8: DefaultsPlainValue {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<Int8> { DefaultsValueBridge() }
}

extension Int16: DefaultsPlainValue {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<Int16> { DefaultsValueBridge() }
}

extension Int32: DefaultsPlainValue {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<Int32> { DefaultsValueBridge() }
}

extension Int64: DefaultsPlainValue {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<Int64> { DefaultsValueBridge() }
}

extension UInt: DefaultsPlainValue {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<UInt> { DefaultsValueBridge() }
}

extension UInt8: DefaultsPlainValue {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<UInt8> { DefaultsValueBridge() }
}

extension UInt16: DefaultsPlainValue {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<UInt16> { DefaultsValueBridge() }
}

extension UInt32: DefaultsPlainValue {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<UInt32> { DefaultsValueBridge() }
}

extension UInt64: DefaultsPlainValue {
    /// The number; one that does not fit reads as nothing and is reported.
    public static var _defaults: DefaultsBridge<UInt64> { DefaultsValueBridge() }
}
