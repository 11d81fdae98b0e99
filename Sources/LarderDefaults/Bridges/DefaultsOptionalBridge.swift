public import Foundation
import LarderCore

/// The bridge for an optional: `nil` is stored as nothing at all, and inside an array or a dictionary as a null.
open class DefaultsOptionalBridge<Wrapped>: DefaultsBridge<Wrapped?> {
    private let wrapped: DefaultsBridge<Wrapped>

    /// A bridge over the one for the wrapped type.
    ///
    /// - Parameter wrapped: Reads and writes what is not `nil`.
    public init(_ wrapped: DefaultsBridge<Wrapped>) { self.wrapped = wrapped }

    /// Reads the wrapped value.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - userDefaults: Where to read.
    /// - Returns: The value, or the outer `nil` when there is none.
    open override func get(key: String, userDefaults: UserDefaults) -> Wrapped?? {
        wrapped.get(key: key, userDefaults: userDefaults).map(Optional.some)
    }

    /// Writes the wrapped value.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - value: The value; `nil`, inner or outer, removes what is there.
    ///   - userDefaults: Where to write.
    open override func save(key: String, value: Wrapped??, userDefaults: UserDefaults) {
        wrapped.save(key: key, value: value ?? nil, userDefaults: userDefaults)
    }

    /// Whether the wrapped value is kept in another form.
    ///
    /// - Returns: What the bridge of the wrapped type says.
    open override func isSerialized() -> Bool { wrapped.isSerialized() }

    /// Turns what is stored into the wrapped value.
    ///
    /// - Parameter object: What is stored.
    /// - Returns: What the bridge of the wrapped type makes of it.
    open override func deserialize(_ object: Any) -> Wrapped?? { wrapped.deserialize(object).map(Optional.some) }

    override var keepsDecoded: Bool { wrapped.keepsDecoded }

    /// A null for `nil`, and the wrapped codec otherwise.
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
