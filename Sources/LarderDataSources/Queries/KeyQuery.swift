public import LarderCore

// Named like an initializer of the protocol `KeyQuery`.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns a query for the value that is stored under `key`.
///
/// The call looks like an initializer, as in `put(item, in: KeyQuery("1"))`.
///
/// - Parameter key: The key, used unchanged.
/// - Returns: A query for `key`.
@inlinable
public func KeyQuery(_ key: String) -> StringKeyQuery { StringKeyQuery(key) }

extension KeyQuery where Self == StringKeyQuery {
    /// Returns a query for the value that is stored under `key`, as in `source.get(.key("1"))`.
    ///
    /// - Parameter key: The key, used unchanged.
    /// - Returns: A query for `key`.
    @inlinable
    public static func key(_ key: String) -> StringKeyQuery { StringKeyQuery(key) }
}
