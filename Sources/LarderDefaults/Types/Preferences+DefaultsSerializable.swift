public import Foundation
public import LarderCore

/// A type that is stored as JSON although it also has a raw value or adopts `NSCoding`.
///
/// Adopt it in place of ``DefaultsSerializable``.
public protocol DefaultsPreferCodable: DefaultsSerializable, Codable {}

/// A final class that is stored as a keyed archive although it is also `Codable`.
///
/// Adopt it in place of ``DefaultsSerializable``.
public protocol DefaultsPreferNSCoding: DefaultsSerializable, NSCoding {}

// One for each thing that the type may be besides, so that exactly one fits best.

extension DefaultsPreferCodable {
    /// The JSON of the value.
    public static var _defaults: DefaultsBridge<Self> { DefaultsCodableBridge() }
}

extension DefaultsPreferCodable where Self: NSCoding {
    /// The JSON of the value.
    public static var _defaults: DefaultsBridge<Self> { DefaultsCodableBridge() }
}

extension DefaultsPreferCodable where Self: RawRepresentable, RawValue: StorableValue {
    /// The JSON of the value.
    public static var _defaults: DefaultsBridge<Self> { DefaultsCodableBridge() }
}

extension DefaultsPreferNSCoding {
    /// A keyed archive.
    public static var _defaults: DefaultsBridge<Self> { DefaultsKeyedArchiverBridge() }
}

extension DefaultsPreferNSCoding where Self: Codable {
    /// A keyed archive.
    public static var _defaults: DefaultsBridge<Self> { DefaultsKeyedArchiverBridge() }
}

// Chosen by the compiler for a type that is both and prefers neither, to say what to do.
extension DefaultsSerializable where Self: Codable & NSCoding {
    /// Stands for a type that does not say how it is stored; it never runs.
    @available(
        *,
        unavailable,
        message:
            "This type is both Codable and NSCoding: adopt DefaultsPreferCodable or DefaultsPreferNSCoding in place of DefaultsSerializable."
    )
    public static var _defaults: DefaultsBridge<Self> { DefaultsBridge() }
}
