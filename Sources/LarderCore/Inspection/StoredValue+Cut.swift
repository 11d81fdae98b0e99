#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoredValue {
    /// Returns the beginning of a string, URL or data that has more than a number of bytes, with its size in bytes before.
    ///
    /// A string is cut between two characters (Unicode scalars). Every other value is returned as it is, without a size.
    ///
    /// - Parameter longest: The number of bytes, or `nil` for the whole value.
    /// - Returns: The value, and its size before it was cut, or `nil` if it is whole.
    package func cut(to longest: Int?) -> (value: StoredValue, size: Int?) {
        guard let longest else { return (self, nil) }
        switch self {
        case .string(let text) where text.utf8.count > longest: return (.string(text.cut(to: longest)), text.utf8.count)
        case .url(let text) where text.utf8.count > longest: return (.url(text.cut(to: longest)), text.utf8.count)
        case .data(let data) where data.count > longest:
            // A slice would keep the whole data in memory.
            return (StoredValue.data(data.prefix(max(0, longest))).withOwnBytes, data.count)
        default: return (self, nil)
        }
    }

    /// The approximate number of bytes that this value occupies in memory.
    package var approximateSize: Int {
        switch self {
        case .string(let text), .url(let text): 16 + text.utf8.count
        case .data(let data): 16 + data.count
        case .array(let elements): elements.reduce(16) { $0 + $1.approximateSize }
        case .dictionary(let entries): entries.reduce(16) { $0 + 16 + $1.key.utf8.count + $1.value.approximateSize }
        case .bool, .int, .unsigned, .float, .double, .date, .null: 16
        }
    }

    /// Returns a dictionary of values under their names, for records whose values belong to several names.
    ///
    /// Inspection tools mask a value in a dictionary by its name. The second value of a name has "(2)" after the name, and so on.
    package static func named(_ values: some Sequence<(String, StoredValue)>) -> StoredValue {
        var repetitions: [StoreKey: Int] = [:]
        let pairs = values.map { name, value in
            repetitions[StoreKey(name), default: 0] += 1
            let repetition = repetitions[StoreKey(name), default: 1]
            return (repetition == 1 ? name : "\(name) (\(repetition))", value)
        }
        return .dictionary(StoredDictionary(pairs))
    }
}

extension String {
    /// Returns the beginning of this string up to the last character (Unicode scalar) that ends within a number of bytes.
    fileprivate func cut(to longest: Int) -> String {
        guard var end = utf8.index(startIndex, offsetBy: max(0, longest), limitedBy: endIndex) else { return self }
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

extension InspectionRecord {
    /// Returns this record with long values cut.
    ///
    /// - Parameter longest: The number of bytes after which a string, URL or data is cut, or `nil` for whole values.
    /// - Returns: The record, with the sizes of the values that were cut.
    func cut(to longest: Int?) -> InspectionRecord {
        guard longest != nil else { return self }
        var record = self
        for (index, value) in values.enumerated() {
            guard case (let beginning, let size?) = value.cut(to: longest) else { continue }
            record.values[index] = beginning
            record.sizes[index] = size
        }
        return record
    }

    /// The approximate number of bytes that the key and the values occupy in memory.
    var approximateSize: Int { values.reduce(64 + key.utf8.count) { $0 + $1.approximateSize } }
}
