#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension URL: StorableValue {
    /// The absolute text; a relative URL is resolved against its base first.
    public var storedValue: StoredValue { .url(self) }

    /// Reads a URL; text and archived URLs as the policy allows.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<URL>? {
        if case .url(let text) = stored { return URL(string: text).map { Conversion($0) } }
        guard policy.rule == .documented || policy.rule == .foundation else { return nil }
        return switch stored {
        case .string(let text): spelled(by: text)
        case .data(let data): URL(keyedArchive: data).map { Conversion($0) }
        default: nil
        }
    }

    /// A text with a scheme is a URL; every other text is the path of a file, `~` expanded.
    ///
    /// A relative path depends on the current folder of the process, so it counts as lossy.
    private static func spelled(by text: String) -> Conversion<URL>? {
        guard let first = text.utf8.first else { return nil }
        if hasScheme(text) { return URL(string: text).map { Conversion($0) } }
        let isAbsolute = first == UInt8(ascii: "/") || first == UInt8(ascii: "~")
        // Whether there is a folder of that name now is not asked: the text alone decides.
        return Conversion(URL(filePath: text, directoryHint: .inferFromPath), isLossy: !isAbsolute)
    }

    /// Whether `text` begins as RFC 3986 has it: a letter, then letters, digits, "+", "-" or ".", then a colon.
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
