/// A type-erased ``DefaultsKey``, for lists of keys with different value types.
///
/// See `updates(_:initial:)`. Only ``DefaultsKey`` conforms to this protocol.
public protocol AnyDefaultsKey {
    /// The name under which the value is stored.
    var _key: String { get }
}

extension DefaultsKey: AnyDefaultsKey {}
