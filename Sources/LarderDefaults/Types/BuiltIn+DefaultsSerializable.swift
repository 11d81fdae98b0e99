public import Foundation
public import LarderCore

// Every conformance is spelled out, because a default implementation for `StorableValue` would compete with the one for `Codable`.

extension String: DefaultsPlainValue {
    /// A bridge that stores strings byte for byte.
    public static var _defaults: DefaultsBridge<String> { DefaultsStringBridge() }
}

extension Bool: DefaultsPlainValue {
    /// A bridge that stores Booleans directly.
    public static var _defaults: DefaultsBridge<Bool> { DefaultsBoolBridge() }
}

extension Double: DefaultsPlainValue {
    /// A bridge that stores numbers bit for bit, except that every NaN becomes `.nan`.
    public static var _defaults: DefaultsBridge<Double> { DefaultsDoubleBridge() }
    /// Returns the stored form of the number, bit for bit, except that every NaN becomes `.nan`.
    @inlinable public static func _plainStored(_ value: Double) -> StoredValue? { .double(value.isNaN ? .nan : value) }
}

extension Float: DefaultsPlainValue {
    /// A bridge that stores numbers bit for bit, except that every NaN becomes `.nan`.
    public static var _defaults: DefaultsBridge<Float> { DefaultsValueBridge() }
    /// Returns the stored form of the number, bit for bit, except that every NaN becomes `.nan`.
    @inlinable public static func _plainStored(_ value: Float) -> StoredValue? { .float(value.isNaN ? .nan : value) }
}

extension Data: DefaultsPlainValue {
    /// A bridge that stores data directly.
    public static var _defaults: DefaultsBridge<Data> { DefaultsDataBridge() }
    /// A bridge that stores an array of data values directly.
    public static var _defaultsArray: DefaultsBridge<[Data]> { bridge.makeArrayBridge() }
}

extension Date: DefaultsPlainValue {
    /// A bridge that stores dates bit for bit, except that every NaN becomes `.nan`.
    public static var _defaults: DefaultsBridge<Date> { DefaultsValueBridge() }
    /// Returns the stored form of the date, bit for bit, except that every NaN becomes `.nan`.
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
    /// A bridge that stores integers directly.
    public static var _defaults: DefaultsBridge<Int> { DefaultsIntBridge() }
}

extension Int8: DefaultsPlainValue {
    /// A bridge that stores integers directly.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<Int8> { DefaultsValueBridge() }
}

extension Int16: DefaultsPlainValue {
    /// A bridge that stores integers directly.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<Int16> { DefaultsValueBridge() }
}

extension Int32: DefaultsPlainValue {
    /// A bridge that stores integers directly.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<Int32> { DefaultsValueBridge() }
}

extension Int64: DefaultsPlainValue {
    /// A bridge that stores integers directly.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<Int64> { DefaultsValueBridge() }
}

extension UInt: DefaultsPlainValue {
    /// A bridge that stores integers directly.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<UInt> { DefaultsValueBridge() }
}

extension UInt8: DefaultsPlainValue {
    /// A bridge that stores integers directly.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<UInt8> { DefaultsValueBridge() }
}

extension UInt16: DefaultsPlainValue {
    /// A bridge that stores integers directly.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<UInt16> { DefaultsValueBridge() }
}

extension UInt32: DefaultsPlainValue {
    /// A bridge that stores integers directly.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<UInt32> { DefaultsValueBridge() }
}

extension UInt64: DefaultsPlainValue {
    /// A bridge that stores integers directly.
    ///
    /// If a stored number is out of range, reads return the default and report an issue.
    public static var _defaults: DefaultsBridge<UInt64> { DefaultsValueBridge() }
}
