public import Foundation
public import LarderCore

extension DefaultsSerializable where Self: Codable {
    /// The JSON of the value.
    public static var _defaults: DefaultsBridge<Self> { DefaultsCodableBridge() }
}

extension DefaultsSerializable where Self: RawRepresentable, RawValue: StorableValue {
    /// The raw value.
    public static var _defaults: DefaultsBridge<Self> { DefaultsRawRepresentableBridge() }
}

extension DefaultsSerializable where Self: Codable & RawRepresentable, RawValue: StorableValue {
    /// The raw value.
    ///
    /// To keep JSON instead, return a ``DefaultsCodableBridge`` from a property of your own.
    public static var _defaults: DefaultsBridge<Self> { DefaultsRawRepresentableBridge() }
}

extension DefaultsSerializable where Self: NSCoding {
    /// A keyed archive.
    public static var _defaults: DefaultsBridge<Self> { DefaultsKeyedArchiverBridge() }
}
