#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension String: StorableValue {
    /// A stored string with the same UTF-8 bytes as this string.
    public var storedValue: StoredValue { .string(self) }

    /// Converts a stored value to a string, or returns `nil` if the value can't be converted under `policy`.
    ///
    /// If the policy allows, numbers, Booleans and URLs are also converted.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<String>? {
        if case .string(let text) = stored { return Conversion(text) }
        return switch policy.rule {
        case .strict, .exactNumbers: nil
        case .documented, .foundation: printed(stored).map { Conversion($0) }
        }
    }

    /// Returns the string, or `nil` if the stored value is not a string.
    @inlinable
    public static func unconverted(_ stored: StoredValue) -> String? {
        if case .string(let text) = stored { return text }
        return nil
    }

    private static func printed(_ stored: StoredValue) -> String? {
        switch stored {
        case .bool(let truth): truth ? "1" : "0"
        case .int(let number): String(number)
        case .unsigned(let number): String(number)
        case .float(let number): number.shortestText
        case .double(let number): number.shortestText
        case .url(let text): pathOfFile(text) ?? text
        case .string, .date, .data, .array, .dictionary, .null: nil
        }
    }

    private static func pathOfFile(_ text: String) -> String? {
        guard let url = URL(string: text), url.isFileURL else { return nil }
        let path = url.path(percentEncoded: false)
        return path.isEmpty ? nil : path
    }
}
