public import LarderCore

/// A codec that converts values of one type to and from stored values.
///
/// The codecs for arrays, dictionaries and optionals use the codec for their elements, to any depth.
public protocol DefaultsCodec<Value> {
    /// The type of the values that this codec encodes.
    associatedtype Value

    /// Converts a value to its stored form.
    ///
    /// - Parameter value: The value to encode.
    /// - Returns: The stored form. `.null` is allowed only inside an array or a dictionary.
    /// - Throws: Any error if the value can't be encoded, in which case the previously stored value is kept.
    func encode(_ value: Value) throws -> StoredValue

    /// Converts a stored value back to a `Value`.
    ///
    /// - Parameter stored: The stored value, which may have any type.
    /// - Returns: The value, and whether the conversion lost any information.
    /// - Throws: `CoreError.NotFound` if a stored value of this type can't be converted, or another error if decoding fails. The stored
    ///   value is unchanged.
    func decode(_ stored: StoredValue) throws -> Conversion<Value>
}

extension DefaultsCodec {
    /// Creates the error for a stored value that can't be converted to a `Value`.
    func notConvertible(_ stored: StoredValue) -> CoreError.NotFound {
        CoreError.NotFound(.notConvertible(stored: stored.kind, asked: "\(Value.self)"))
    }
}
