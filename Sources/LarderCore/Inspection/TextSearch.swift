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
    /// The maximum length of the text of a query in bytes.
    package static let longestText = 1_000

    /// The lowercase UTF-8 bytes of the text, at least one.
    private let wanted: [UInt8]
    /// For each length of a beginning of ``wanted``, the length of the longest shorter one with which it also ends.
    private let restarts: [Int]
    private let isASCII: Bool
    /// Whether the description of a number may contain the text.
    private let mayBeInNumber: Bool
    /// Whether the description of a date may contain the text.
    private let mayBeInDate: Bool

    /// Creates a search, or returns `nil` for the empty text, which everything contains.
    package init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        wanted = Array(text.lowercased().utf8)
        restarts = Self.restarts(of: wanted)
        isASCII = wanted.allSatisfy { $0 < 0x80 }
        mayBeInNumber = wanted.allSatisfy { "0123456789+-.einfa".utf8.contains($0) }
        mayBeInDate = wanted.allSatisfy { "0123456789+-.:@etz".utf8.contains($0) }
    }

    /// Creates the search of a query, or returns `nil` if the query searches for no text.
    ///
    /// - Throws: ``InspectionQueryError`` if the text is too long.
    package init?(of query: InspectionQuery) throws {
        guard query.text.utf8.count <= Self.longestText else {
            throw InspectionQueryError(
                "The searched text has more than \(Self.longestText) bytes. Search for a part of it."
            )
        }
        self.init(query.text)
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

    private static func restarts(of wanted: [UInt8]) -> [Int] {
        var restarts = [0, 0]
        var length = 0
        for byte in wanted.dropFirst() {
            while length > 0, wanted[length] != byte { length = restarts[length] }
            if wanted[length] == byte { length += 1 }
            restarts.append(length)
        }
        return restarts
    }

    /// Returns whether `text` contains the searched bytes, in a time that is proportional to its length (Knuth, Morris and Pratt).
    private func isContained(in text: UnsafeRawBufferPointer) -> Bool {
        wanted.withUnsafeBufferPointer { wanted in
            restarts.withUnsafeBufferPointer { restarts in
                var length = 0
                for byte in text {
                    let byte = Self.lowercase(byte)
                    while length > 0, wanted[length] != byte { length = restarts[length] }
                    guard wanted[length] == byte else { continue }
                    length += 1
                    if length == wanted.count { return true }
                }
                return false
            }
        }
    }

    @inline(__always)
    private static func lowercase(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }
}
