public import Foundation
public import LarderCore

extension DefaultsSerializable where Self: Codable {
    /// A bridge that stores values as JSON.
    public static var _defaults: DefaultsBridge<Self> { DefaultsCodableBridge() }
}

extension DefaultsSerializable where Self: RawRepresentable, RawValue: StorableValue {
    /// A bridge that stores each value's raw value.
    public static var _defaults: DefaultsBridge<Self> { DefaultsRawRepresentableBridge() }
}

extension DefaultsSerializable where Self: Codable & RawRepresentable, RawValue: StorableValue {
    /// A bridge that stores each value's raw value.
    ///
    /// To store JSON instead, return a ``DefaultsCodableBridge`` from your own `_defaults` property.
    public static var _defaults: DefaultsBridge<Self> { DefaultsRawRepresentableBridge() }
}

extension DefaultsSerializable where Self: NSCoding {
    /// A bridge that stores objects as keyed archives.
    public static var _defaults: DefaultsBridge<Self> { DefaultsKeyedArchiverBridge() }
}
