public import LarderCore

// Named as the type it stands for.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// A query for what is stored under `key`, written as if `KeyQuery` could be constructed: `put(item, in: KeyQuery("1"))`.
///
/// - Parameter key: Used as it is.
/// - Returns: A query whose key is `key`.
@inlinable
public func KeyQuery(_ key: String) -> StringKeyQuery { StringKeyQuery(key) }

extension KeyQuery where Self == StringKeyQuery {
    /// A query for what is stored under `key`: `source.get(.key("1"))`.
    ///
    /// - Parameter key: Used as it is.
    /// - Returns: A query whose key is `key`.
    @inlinable
    public static func key(_ key: String) -> StringKeyQuery { StringKeyQuery(key) }
}
