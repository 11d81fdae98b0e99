/// A layout that separates a data source's keys from other keys in device storage.
public enum DeviceStorageType: Sendable, Hashable {
    /// Each value is stored under its own key, without a prefix.
    ///
    /// `AllObjectsQuery` is not supported, because the source can't distinguish its keys from other keys in the store.
    case regular
    /// Each value is stored under `prefix + "." + key`.
    ///
    /// With an empty prefix, this is the same as ``regular``.
    ///
    /// The dot is not escaped. The prefix "a" with the key "b.c" and the prefix "a.b" with the key "c" result in the same key. Deleting all
    /// values with the prefix "a" also deletes all values with the prefix "a.b". Use ``escapedPrefix(_:)`` unless other programs read the
    /// keys.
    case prefix(String)
    /// Each value is stored as with ``prefix(_:)``, but "." and "\" in the prefix are escaped with "\".
    ///
    /// Different prefixes never overlap.
    case escapedPrefix(String)
    /// All values are stored in one dictionary under this key.
    ///
    /// The cost of a write grows with the number of values.
    case rootKey(String)

    /// The prefix of each key in the store.
    ///
    /// The prefix includes the trailing dot. It is empty for ``regular`` and ``rootKey(_:)``.
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
