/// A type whose properties are keys, for the key paths of a ``DefaultsAdapter``.
public protocol DefaultsKeyStore {}

/// The keys that ``Defaults`` knows: extend it with a property for each.
public struct DefaultsKeys: DefaultsKeyStore, Sendable {
    /// The keys.
    public init() {}
}

/// What a ``DefaultsKey`` of any type tells of itself.
protocol NamedKey {
    var _key: String { get }
}

extension DefaultsKey: NamedKey {}
