public import LarderCore

/// How values of one type become stored values and back, knowing nothing of keys and stores.
///
/// Codecs compose: the ones of arrays, dictionaries and optionals are made of the one of their elements, to any depth.
public protocol DefaultsCodec<Value> {
    /// What is encoded.
    associatedtype Value

    /// What is stored for a value.
    ///
    /// - Parameter value: The value.
    /// - Returns: Anything a store holds; `.null` only where the value will stand inside an array or a dictionary.
    /// - Throws: Any error when there is no stored form; nothing is written then.
    func encode(_ value: Value) throws -> StoredValue

    /// The value that is stored.
    ///
    /// - Parameter stored: What is stored, of any kind.
    /// - Returns: The value, and whether something was lost on the way.
    /// - Throws: `CoreError.NotFound` when `stored` is of a kind that does not convert, any other error when it should and
    ///   does not decode. What is stored stays as it is.
    func decode(_ stored: StoredValue) throws -> Conversion<Value>
}

extension DefaultsCodec {
    /// The error for a stored value that is no `Value`.
    func notConvertible(_ stored: StoredValue) -> CoreError.NotFound {
        CoreError.NotFound(.notConvertible(stored: stored.kind, asked: "\(Value.self)"))
    }
}
