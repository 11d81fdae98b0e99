public import Foundation
public import LarderCore

// Every conformance is spelled out, because a default implementation for `StorableValue` would compete with the one for `Codable`.

extension String: DefaultsPlainValue {
    /// A bridge that stores strings byte for byte.
    public static var _defaults: DefaultsBridge<String> { DefaultsStringBridge() }
}

extension Bool: DefaultsPlainValue {
    /// A bridge that stores Booleans without encoding them.
    public static var _defaults: DefaultsBridge<Bool> { DefaultsBoolBridge() }
}

extension Double: DefaultsPlainValue {
    /// A bridge that stores numbers bit for bit, except that every NaN is stored as `.nan`.
    public static var _defaults: DefaultsBridge<Double> { DefaultsDoubleBridge() }
    /// Returns the number as a stored value with the same bits, except that every NaN becomes `.nan`.
    @inlinable public static func _plainStored(_ value: Double) -> StoredValue? { .double(value.isNaN ? .nan : value) }
}

extension Float: DefaultsPlainValue {
    /// A bridge that stores numbers bit for bit, except that every NaN is stored as `.nan`.
    public static var _defaults: DefaultsBridge<Float> { DefaultsValueBridge() }
    /// Returns the number as a stored value with the same bits, except that every NaN becomes `.nan`.
    @inlinable public static func _plainStored(_ value: Float) -> StoredValue? { .float(value.isNaN ? .nan : value) }
}

extension Data: DefaultsPlainValue {
    /// A bridge that stores `Data` values without encoding them.
    public static var _defaults: DefaultsBridge<Data> { DefaultsDataBridge() }
    /// A bridge that stores arrays of `Data` values without encoding them.
    public static var _defaultsArray: DefaultsBridge<[Data]> { bridge.makeArrayBridge() }
}

extension Date: DefaultsPlainValue {
    /// A bridge that stores dates bit for bit, except that every NaN time interval is stored as `.nan`.
    public static var _defaults: DefaultsBridge<Date> { DefaultsValueBridge() }
    /// Returns the date as a stored value with the same bits, except that every NaN time interval becomes `.nan`.
    @inlinable
    public static func _plainStored(_ value: Date) -> StoredValue? {
        .date(value.timeIntervalSinceReferenceDate.isNaN ? Date(timeIntervalSinceReferenceDate: .nan) : value)
    }
}

extension URL: DefaultsPlainValue {
    /// A bridge that stores absolute URLs.
    public static var _defaults: DefaultsBridge<URL> { DefaultsUrlBridge() }
}

extension Int: DefaultsPlainValue {
    /// A bridge that stores integers without encoding them.
    public static var _defaults: DefaultsBridge<Int> { DefaultsIntBridge() }
}

extension Int8: DefaultsPlainValue {
    /// A bridge that stores integers without encoding them.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<Int8> { DefaultsValueBridge() }
}

extension Int16: DefaultsPlainValue {
    /// A bridge that stores integers without encoding them.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<Int16> { DefaultsValueBridge() }
}

extension Int32: DefaultsPlainValue {
    /// A bridge that stores integers without encoding them.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<Int32> { DefaultsValueBridge() }
}

extension Int64: DefaultsPlainValue {
    /// A bridge that stores integers without encoding them.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<Int64> { DefaultsValueBridge() }
}

extension UInt: DefaultsPlainValue {
    /// A bridge that stores integers without encoding them.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<UInt> { DefaultsValueBridge() }
}

extension UInt8: DefaultsPlainValue {
    /// A bridge that stores integers without encoding them.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<UInt8> { DefaultsValueBridge() }
}

extension UInt16: DefaultsPlainValue {
    /// A bridge that stores integers without encoding them.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<UInt16> { DefaultsValueBridge() }
}

extension UInt32: DefaultsPlainValue {
    /// A bridge that stores integers without encoding them.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<UInt32> { DefaultsValueBridge() }
}

extension UInt64: DefaultsPlainValue {
    /// A bridge that stores integers without encoding them.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<UInt64> { DefaultsValueBridge() }
}
