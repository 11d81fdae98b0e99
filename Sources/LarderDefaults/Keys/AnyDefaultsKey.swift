/// A key of any type, for lists of keys: ``DefaultsAdapter/updates(_:initial:)-([AnyDefaultsKey],_)``.
///
/// ``DefaultsKey`` is the one type that adopts it.
public protocol AnyDefaultsKey {
    /// The name under which the value is stored.
    var _key: String { get }
}

extension DefaultsKey: AnyDefaultsKey {}
