#if Objects
internal import Foundation
internal import LarderCore

/// The place of an object in a sorted list, after which the next page begins.
struct PagePosition: Hashable {
    /// The maximum size of a sorted string in a position, in bytes.
    ///
    /// A longer string is read again from its object.
    private static let longestText = 256
    /// The beginning of a position after which the filter remains a column of the result.
    private static let mark = "~"

    /// The values by which the list is sorted, without the key.
    ///
    /// An element is `nil` if it must be read from the object.
    var values: [ColumnValue?]
    var key: Int64
    /// Whether the filter was a column of the result on the page before, because no object was found for long otherwise.
    var isFilterInColumn: Bool

    init(values: [ColumnValue], key: Int64, isFilterInColumn: Bool) {
        self.isFilterInColumn = isFilterInColumn
        self.values = values.map { value in
            switch value {
            case .text(let text) where text.utf8.count > Self.longestText: nil
            case .blob(let data) where data.count > Self.longestText: nil
            default: value
            }
        }
        self.key = key
    }

    /// The position as a string of ASCII characters.
    var text: String {
        (isFilterInColumn ? Self.mark : "") + ([String(key)] + values.map(Self.text)).joined(separator: ",")
    }

    /// Reads a position that ``text`` returned.
    ///
    /// - Parameters:
    ///   - text: The string, which may come from anyone.
    ///   - count: The number of values by which the list is sorted.
    /// - Throws: `InspectionQueryError` if the string is not a position in the list.
    init(_ text: String, count: Int) throws {
        isFilterInColumn = text.hasPrefix(Self.mark)
        let numbers = text.dropFirst(isFilterInColumn ? Self.mark.count : 0)
        let parts = numbers.split(separator: ",", omittingEmptySubsequences: false)
        let values = parts.dropFirst().compactMap(Self.value)
        guard let key = parts.first.flatMap({ Int64($0) }), parts.count == count + 1, values.count == count else {
            throw InspectionQueryError("The place where this page begins is not valid. Load the first page again.")
        }
        self.key = key
        self.values = values.map(\.value)
    }

    private static func text(_ value: ColumnValue?) -> String {
        switch value {
        case nil: "?"
        case .null: "n"
        case .integer(let integer): "i\(integer)"
        case .real(let real): "r" + String(real.bitPattern, radix: 16)
        case .text(let text): "t" + Data(text.utf8).base64EncodedString()
        case .blob(let data): "b" + data.base64EncodedString()
        }
    }

    private struct Value { let value: ColumnValue? }

    private static func value(_ text: Substring) -> Value? {
        let rest = text.dropFirst()
        switch text.first {
        case "?" where rest.isEmpty: return Value(value: nil)
        case "n" where rest.isEmpty: return Value(value: .null)
        case "i": return Int64(rest).map { Value(value: .integer($0)) }
        case "r":
            guard let bits = UInt64(rest, radix: 16), !Double(bitPattern: bits).isNaN else { return nil }
            return Value(value: .real(Double(bitPattern: bits)))
        case "t":
            return Data(base64Encoded: String(rest)).map { Value(value: .text(String(decoding: $0, as: UTF8.self))) }
        case "b": return Data(base64Encoded: String(rest)).map { Value(value: .blob($0)) }
        default: return nil
        }
    }
}
#endif
