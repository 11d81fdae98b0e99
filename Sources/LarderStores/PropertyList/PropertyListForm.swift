import Foundation
package import LarderCore

/// The conversion between a `StoredValue` and its representation in a property list, as defined in
/// `Documentation/Formats/property-list-v1.md`.
///
/// A **plain** value consists only of values that a property list preserves exactly, under keys that a property list can distinguish. A
/// value that a property list would alter is written as a tagged dictionary. All other values are written unchanged.
package struct PropertyListForm: Sendable {
    /// Whether to write strings that contain characters forbidden in XML as tagged dictionaries.
    let keepsToXML: Bool

    /// The representation in a file, which other programs may parse as XML.
    package static let file = PropertyListForm(keepsToXML: true)
    /// The representation in `UserDefaults`, which preserves all strings.
    package static let userDefaults = PropertyListForm(keepsToXML: false)

    static let typeKey = "larder:type"
    static let valueKey = "larder:value"

    /// Converts a stored value to a value that a property list preserves exactly.
    package func plain(_ value: StoredValue) -> StoredValue {
        switch value {
        case .bool, .int, .data: value
        case .unsigned(let number): StoredValue.integer(number) ?? value
        case .float(let number): tag("float", .string(number.description))
        case .double(let number):
            number == 0 && number.sign == .minus ? tag("double", .string("-0.0")) : value
        case .string(let text): plain(text)
        case .url(let text): tag("url", plain(text))
        case .date(let date):
            date.isPlainInPropertyList
                ? value : tag("date", .string(date.timeIntervalSinceReferenceDate.description))
        case .array(let elements): .array(elements.map(plain))
        case .dictionary(let entries):
            .dictionary(StoredDictionary(entries.lazy.map { (key(for: $0.key), plain($0.value)) }))
        case .null: .dictionary([Self.typeKey: "null"])
        }
    }

    private func plain(_ text: String) -> StoredValue {
        let isSafe = !text.beginsWithByteOrderMark && !(keepsToXML && text.hasCharacterForbiddenInXML)
        return isSafe ? .string(text) : tag("string", .data(Data(text.utf8)))
    }

    private func tag(_ type: String, _ value: StoredValue) -> StoredValue {
        .dictionary([Self.typeKey: .string(type), Self.valueKey: value])
    }

    /// Converts a value from a property list to the stored value that it represents.
    ///
    /// - Parameters:
    ///   - plain: A plain value, or a value that another program wrote.
    ///   - path: The path to the value, for error messages. Its first element is the key of the entry.
    /// - Returns: The stored value.
    /// - Throws: `StoreError` with code `newerFormat` for an unknown tag, or `damaged` for an invalid tagged value or key.
    package func value(ofPlain plain: StoredValue, path: [String]) throws -> StoredValue {
        switch plain {
        case .array(let elements):
            return .array(
                try elements.enumerated().map { try value(ofPlain: $0.element, path: path + ["[\($0.offset)]"]) }
            )
        case .dictionary(let entries):
            if let type = entries[Self.typeKey] {
                return try value(ofTag: type, entries[Self.valueKey], count: entries.count, path: path)
            }
            var pairs: [(String, StoredValue)] = []
            for entry in entries {
                let key = try text(ofKey: entry.key, path: path)
                pairs.append((key, try value(ofPlain: entry.value, path: path + [key])))
            }
            let dictionary = StoredDictionary(pairs)
            guard dictionary.count == pairs.count else {
                throw Self.damaged("a dictionary has the same key in plain and in escaped form", path: path)
            }
            return .dictionary(dictionary)
        default: return plain
        }
    }

    private func value(
        ofTag type: StoredValue,
        _ content: StoredValue?,
        count: Int,
        path: [String]
    ) throws -> StoredValue {
        let value: StoredValue?
        switch (type, content) {
        case ("null", nil): value = .null
        case ("float", .string(let text)?): value = Float(text).map(StoredValue.float)
        case ("double", .string(let text)?): value = Double(text).map(StoredValue.double)
        case ("date", .string(let text)?):
            value = Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case ("string", .data(let bytes)?): value = String(validating: bytes, as: UTF8.self).map(StoredValue.string)
        case ("url", .string(let text)?): value = .url(text)
        case ("url", .dictionary(let tagged)?) where tagged[Self.typeKey] == "string":
            let inner = try self.value(ofPlain: .dictionary(tagged), path: path)
            if case .string(let text) = inner { value = .url(text) } else { value = nil }
        case ("null", _), ("float", _), ("double", _), ("date", _), ("string", _), ("url", _): value = nil
        case (.string(let name), _):
            throw StoreError(
                .newerFormat,
                "The value at \(Self.text(path)) has the unknown type \(name.debugDescription) because a newer version of Larder wrote it. Update Larder in this program.",
                key: path.first
            )
        default: throw Self.damaged("the type of a tagged value is not a string", path: path)
        }
        guard let value, count == (content == nil ? 1 : 2) else {
            throw Self.damaged("a tagged value does not match its type", path: path)
        }
        return value
    }

    static func damaged(_ reason: String, path: [String]) -> StoreError {
        StoreError(
            .damaged,
            "The value at \(text(path)) can't be read: \(reason).",
            key: path.first
        )
    }

    /// Formats the path to a value for an error message, such as `"account" > "name"`.
    static func text(_ path: [String]) -> String {
        path.isEmpty ? "the root" : path.map(\.debugDescription).joined(separator: " > ")
    }
}

extension Date {
    /// Whether a property list represents this date exactly.
    ///
    /// The value is `true` for whole seconds in years for which all calendar implementations agree.
    fileprivate var isPlainInPropertyList: Bool {
        let seconds = timeIntervalSinceReferenceDate
        // NaN fails every comparison. Negative zero is tagged, because a property list would return positive zero.
        return seconds >= -12_622_780_800 && seconds < 63_113_990_400 && seconds.rounded() == seconds
            && !(seconds == 0 && seconds.sign == .minus)
    }
}

extension String {
    var beginsWithByteOrderMark: Bool { unicodeScalars.first == "\u{FEFF}" }

    /// Whether the string contains a character that is forbidden in XML 1.0.
    var hasCharacterForbiddenInXML: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x9, 0xA, 0xD: false
            case 0..<0x20, 0xFFFE, 0xFFFF: true
            default: false
            }
        }
    }
}
