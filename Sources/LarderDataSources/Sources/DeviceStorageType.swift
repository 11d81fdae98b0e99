/// How a device storage's keys are told apart from those of others.
public enum DeviceStorageType: Sendable, Hashable {
    /// The bare key.
    ///
    /// The source can't tell its keys from those of others, so it does not take `AllObjectsQuery`.
    case regular
    /// `prefix + "." + key`; an empty prefix is ``regular``.
    ///
    /// The dot is not escaped: the prefix "a" with the key "b.c" and the prefix "a.b" with the key "c" are one place, and deleting
    /// everything behind the prefix "a" deletes everything behind "a.b". Choose ``escapedPrefix(_:)`` unless other programs read the keys.
    case prefix(String)
    /// As ``prefix(_:)``, with every "." and "\" of the prefix behind a "\", so that two prefixes never share a place.
    case escapedPrefix(String)
    /// One dictionary under this key holds all values: they are written together, at a cost that grows with their number.
    case rootKey(String)

    /// What stands before each key; nothing in a dictionary.
    var keyPrefix: String {
        switch self {
        case .regular, .prefix(""): ""
        case .prefix(let prefix): prefix + "."
        case .escapedPrefix(let prefix):
            prefix.reduce(into: "") { escaped, character in
                for scalar in character.unicodeScalars {
                    if scalar == "." || scalar == "\\" { escaped.append("\\") }
                    escaped.unicodeScalars.append(scalar)
                }
            } + "."
        case .rootKey: ""
        }
    }
}
