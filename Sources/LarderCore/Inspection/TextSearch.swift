#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A text to search for in keys and values, without regard to the case of letters.
///
/// Letters are compared in their simple lowercase form. A key or value contains the text as a sequence of bytes, so that the search never
/// depends on a locale.
package struct TextSearch: Sendable {
    /// The lowercase UTF-8 bytes of the text, at least one.
    private let wanted: [UInt8]
    private let isASCII: Bool
    /// Whether the description of a number may contain the text.
    private let mayBeInNumber: Bool
    /// Whether the description of a date may contain the text.
    private let mayBeInDate: Bool

    /// Creates a search, or returns `nil` for the empty text, which everything contains.
    package init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        wanted = Array(text.lowercased().utf8)
        isASCII = wanted.allSatisfy { $0 < 0x80 }
        mayBeInNumber = wanted.allSatisfy { "0123456789+-.einfa".utf8.contains($0) }
        mayBeInDate = wanted.allSatisfy { "0123456789+-.:@etz".utf8.contains($0) }
    }

    /// Returns whether a UTF-8 text contains the searched text.
    package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        if isASCII { return isContained(in: text) }
        // A text of ASCII characters does not contain others.
        guard text.contains(where: { $0 >= 0x80 }) else { return false }
        var lowercase = String(decoding: text, as: UTF8.self).lowercased()
        return lowercase.withUTF8 { isContained(in: UnsafeRawBufferPointer($0)) }
    }

    /// Returns whether `text` contains the searched text.
    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
    }

    /// Returns whether a string in `value`, or the description of a number, a date or a Boolean in it, contains the searched text.
    ///
    /// Bytes are searched as UTF-8, because they often hold JSON.
    package func matches(_ value: StoredValue) -> Bool {
        switch value {
        case .null: false
        case .bool(let truth): matches(truth ? "true" : "false")
        case .int(let number): mayBeInNumber && matches(String(number))
        case .unsigned(let number): mayBeInNumber && matches(String(number))
        case .float(let number): mayBeInNumber && matches(number.shortestText)
        case .double(let number): mayBeInNumber && matches(number.shortestText)
        case .string(let text), .url(let text): matches(text)
        case .date(let date): mayBeInDate && matches(date.exactText)
        case .data(let data): data.withUnsafeBytes { matches($0) }
        case .array(let elements): elements.contains { matches($0) }
        case .dictionary(let entries): entries.contains { matches($0.key) || matches($0.value) }
        }
    }

    private func isContained(in text: UnsafeRawBufferPointer) -> Bool {
        wanted.withUnsafeBufferPointer { wanted in
            guard text.count >= wanted.count else { return false }
            let first = wanted[0]
            for start in 0...(text.count - wanted.count) where Self.lowercase(text[start]) == first {
                var length = 1
                while length < wanted.count, Self.lowercase(text[start + length]) == wanted[length] { length += 1 }
                if length == wanted.count { return true }
            }
            return false
        }
    }

    @inline(__always)
    private static func lowercase(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }
}
