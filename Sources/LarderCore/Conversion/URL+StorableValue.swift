#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension URL: StorableValue {
    /// A stored value that contains the absolute string of this URL.
    ///
    /// A relative URL is resolved against its base first.
    public var storedValue: StoredValue { .url(self) }

    /// Converts a stored value to a URL.
    ///
    /// If the policy allows, strings and archived URLs are also converted.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<URL>? {
        if case .url(let text) = stored { return URL(string: text).map { Conversion($0) } }
        guard policy.rule == .documented || policy.rule == .foundation else { return nil }
        return switch stored {
        case .string(let text): spelled(by: text)
        case .data(let data): URL(keyedArchive: data).map { Conversion($0) }
        default: nil
        }
    }

    /// Converts a string with a scheme to a URL, and any other string to a file URL after expanding `~`.
    ///
    /// The conversion of a relative path is lossy, because the result depends on the current folder of the process.
    private static func spelled(by text: String) -> Conversion<URL>? {
        guard let first = text.utf8.first else { return nil }
        if hasScheme(text) { return URL(string: text).map { Conversion($0) } }
        let isAbsolute = first == UInt8(ascii: "/") || first == UInt8(ascii: "~")
        // The file system is not consulted: the result depends only on the string.
        return Conversion(URL(filePath: text, directoryHint: .inferFromPath), isLossy: !isAbsolute)
    }

    /// Returns whether `text` begins with a URL scheme and a colon.
    ///
    /// According to RFC 3986, a scheme is a letter followed by letters, digits, "+", "-" or ".".
    private static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = text.utf8[..<colon]
        guard let first = scheme.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first | 0x20 else { return false }
        return scheme.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
    }
}
