import LarderCore
import LarderFiles

/// A rule that derives the file names of a ``FileSystemStorageDataSource`` from keys.
///
/// A key's file is always directly inside the source's folder. File names that refer to another folder are rejected.
public struct FileNaming: Sendable {
    private enum Kind: Sendable {
        case none
        case sha256
        case reversible
        case custom(@Sendable (String) -> String)
    }

    private let kind: Kind

    /// A rule that uses the key itself as the file name.
    ///
    /// A call fails with `FileError.Code.invalidPath` if the key is not a valid file name: an empty key, a key that contains a slash or
    /// NUL, ".", "..", or a key of more than 230 bytes. On a case-insensitive file system, "a" and "A" are the same file.
    public static let none = FileNaming(kind: .none)

    /// A rule that uses the SHA-256 hash of the key, written as 64 hexadecimal digits.
    ///
    /// This rule works for all keys. Each file also contains its key.
    public static let sha256 = FileNaming(kind: .sha256)

    /// A rule that percent-encodes the key.
    ///
    /// All bytes except "a" to "z", "0" to "9", "-" and "_" are replaced by "%" and two hexadecimal digits.
    ///
    /// This rule works for all keys. Different keys have different names, even on a case-insensitive file system. A name of more than 230
    /// bytes is replaced by "~" and the hash of the key.
    public static let reversible = FileNaming(kind: .reversible)

    /// Returns a naming rule that calls a closure.
    ///
    /// - Parameter name: A closure that returns the file name for a key. It must always return the same name for the same key. If two keys
    ///   have the same file name, the second key can't be read, and writing it fails with `CoreError.IllegalArgument`.
    /// - Returns: A naming rule that calls `name`.
    public static func custom(_ name: @escaping @Sendable (_ key: String) -> String) -> FileNaming {
        FileNaming(kind: .custom(name))
    }

    /// Whether ``name(of:)`` runs a closure that was passed to ``custom(_:)``.
    ///
    /// The closure must not run while a lock is held.
    var runsCallersCode: Bool { if case .custom = kind { true } else { false } }

    /// Returns the file name for a key.
    ///
    /// The name is not validated.
    func name(of key: String) -> String {
        switch kind {
        case .none: return key
        case .sha256: return Self.hash(of: key)
        case .custom(let name): return name(key)
        case .reversible:
            let name = Self.escaped(key)
            return name.isEmpty || name.utf8.count > ConfinedFolder.longestName ? "~" + Self.hash(of: key) : name
        }
    }

    /// Returns the key from which this rule derived a file name, or `nil` if the name does not determine the key.
    func key(of name: String) -> String? {
        switch kind {
        case .none: return name
        case .sha256, .custom: return nil
        case .reversible:
            guard let key = Self.unescaped(name), self.name(of: key).utf8.elementsEqual(name.utf8) else { return nil }
            return key
        }
    }

    private static func hash(of key: String) -> String { hexadecimal(SHA256.of(key.utf8)) }

    private static func escaped(_ key: String) -> String {
        var name: [UInt8] = []
        name.reserveCapacity(key.utf8.count)
        for byte in key.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                name.append(byte)
            default:
                name.append(UInt8(ascii: "%"))
                name.append(contentsOf: hexadecimal([byte]).utf8)
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    private static func unescaped(_ name: String) -> String? {
        var key: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                key.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            key.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: key, as: UTF8.self)
    }
}
