public import Foundation
import LarderCore

/// A bridge that reads and writes optionals with the bridge for the wrapped type.
///
/// Writing `nil` removes the stored value. Inside an array or a dictionary, `nil` is stored as null.
open class DefaultsOptionalBridge<Wrapped>: DefaultsBridge<Wrapped?> {
    private let wrapped: DefaultsBridge<Wrapped>

    /// Creates a bridge for optionals from a bridge for the wrapped type.
    ///
    /// - Parameter wrapped: The bridge that reads and writes values other than `nil`.
    public init(_ wrapped: DefaultsBridge<Wrapped>) { self.wrapped = wrapped }

    /// Uses the wrapped type's bridge to read the value under a key.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - userDefaults: The object to read from.
    /// - Returns: The value, or the outer `nil` if nothing is stored.
    open override func get(key: String, userDefaults: UserDefaults) -> Wrapped?? {
        wrapped.get(key: key, userDefaults: userDefaults).map(Optional.some)
    }

    /// Uses the wrapped type's bridge to write a value under a key, or removes the stored value if the new value is `nil`.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - value: The value to write, or an inner or outer `nil` to remove the stored value.
    ///   - userDefaults: The object to write to.
    open override func save(key: String, value: Wrapped??, userDefaults: UserDefaults) {
        wrapped.save(key: key, value: value ?? nil, userDefaults: userDefaults)
    }

    /// Returns whether the wrapped value is stored in an encoded form.
    ///
    /// - Returns: The result of the wrapped type's bridge.
    open override func isSerialized() -> Bool { wrapped.isSerialized() }

    /// Uses the wrapped type's bridge to decode an object.
    ///
    /// - Parameter object: The stored object.
    /// - Returns: The result of the wrapped type's bridge.
    open override func deserialize(_ object: Any) -> Wrapped?? { wrapped.deserialize(object).map(Optional.some) }

    override var keepsDecoded: Bool { wrapped.keepsDecoded }

    /// A codec that encodes `nil` as null, and other values with the wrapped type's codec.
    open override var codec: any DefaultsCodec<Wrapped?> { OptionalCodec(wrapped: wrapped.exactCodec) }

    override var exactCodec: any DefaultsCodec<Wrapped?> { OptionalCodec(wrapped: wrapped.exactCodec) }

    override var isHandWritten: Bool { wrapped.isHandWritten }

    override func observed(
        _ stored: StoredValue,
        of key: String,
        in store: any KeyValueStore
    ) throws -> Conversion<Wrapped?> {
        let observed = try wrapped.observed(stored, of: key, in: store)
        return Conversion(observed.value, isLossy: observed.isLossy)
    }
}
