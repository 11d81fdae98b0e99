public import Foundation
public import LarderCore

/// A type that is stored as JSON even if it has a raw value or adopts `NSCoding`.
///
/// Conform to this protocol instead of ``DefaultsSerializable``.
public protocol DefaultsPreferCodable: DefaultsSerializable, Codable {}

/// A final class that is stored as a keyed archive even if it is `Codable`.
///
/// Conform to this protocol instead of ``DefaultsSerializable``.
public protocol DefaultsPreferNSCoding: DefaultsSerializable, NSCoding {}

// One overload for each other conformance that a type may have, so that overload resolution is never ambiguous.

extension DefaultsPreferCodable {
    /// A bridge that stores values as JSON.
    public static var _defaults: DefaultsBridge<Self> { DefaultsCodableBridge() }
}

extension DefaultsPreferCodable where Self: NSCoding {
    /// A bridge that stores values as JSON.
    public static var _defaults: DefaultsBridge<Self> { DefaultsCodableBridge() }
}

extension DefaultsPreferCodable where Self: RawRepresentable, RawValue: StorableValue {
    /// A bridge that stores values as JSON.
    public static var _defaults: DefaultsBridge<Self> { DefaultsCodableBridge() }
}

extension DefaultsPreferNSCoding {
    /// A bridge that stores objects as keyed archives.
    public static var _defaults: DefaultsBridge<Self> { DefaultsKeyedArchiverBridge() }
}

extension DefaultsPreferNSCoding where Self: Codable {
    /// A bridge that stores objects as keyed archives.
    public static var _defaults: DefaultsBridge<Self> { DefaultsKeyedArchiverBridge() }
}

// The compiler chooses this property for a type that adopts both protocols without a preference, and prints its message.
extension DefaultsSerializable where Self: Codable & NSCoding {
    /// Rejects a type without a unique stored form at compile time.
    ///
    /// This property is never evaluated. The compiler prints its message.
    @available(
        *,
        unavailable,
        message:
            "This type adopts both Codable and NSCoding. Conform to DefaultsPreferCodable or DefaultsPreferNSCoding instead of DefaultsSerializable."
    )
    public static var _defaults: DefaultsBridge<Self> { DefaultsBridge() }
}
