import LarderCore
import LarderFiles

/// How the files of a ``FileSystemStorageDataSource`` are called.
///
/// Whatever the key is, its file lies right inside the source's folder: a name that would lead elsewhere is refused.
public struct FileNaming: Sendable {
    private enum Kind: Sendable {
        case none
        case sha256
        case reversible
        case custom(@Sendable (String) -> String)
    }

    private let kind: Kind

    /// The key itself.
    ///
    /// A key that is no file name fails with `FileError.Code.invalidPath`: one that is empty, has a slash or NUL, is "." or "..",
    /// or has more than 230 bytes. Where the file system takes no notice of case, "a" and "A" are one file.
    public static let none = FileNaming(kind: .none)

    /// The SHA-256 of the key in 64 hexadecimal digits.
    ///
    /// Any key; the name does not show it, the file does.
    public static let sha256 = FileNaming(kind: .sha256)

    /// The key with everything but "a" to "z", "0" to "9", "-" and "_" as "%" and two hexadecimal digits.
    ///
    /// Any key; two keys never share a name, not even without regard to case. One that would have more than 230 bytes is called
    /// by its hash behind "~".
    public static let reversible = FileNaming(kind: .reversible)

    /// A name of your own.
    ///
    /// - Parameter name: The same name for a key each time. Two keys with one name are noticed: the second is not found, and a put
    ///   under it fails with `CoreError.IllegalArgument`.
    /// - Returns: The naming.
    public static func custom(_ name: @escaping @Sendable (_ key: String) -> String) -> FileNaming {
        FileNaming(kind: .custom(name))
    }

    /// Whether ``name(of:)`` runs a caller's closure: never under a lock.
    var runsCallersCode: Bool { if case .custom = kind { true } else { false } }

    /// The name of a key's file, which may be one that can't be a file's.
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

    /// The key whose file has this name, where the name tells.
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
