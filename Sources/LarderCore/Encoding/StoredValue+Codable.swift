#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoredValue: Codable {
    /// Encodes this value as an object with one entry, whose key is the name of the value's kind.
    ///
    /// The encoding does not depend on how a format represents numbers:
    ///
    /// | Kind | JSON |
    /// |---|---|
    /// | null, bool | `{"null": true}`, `{"bool": false}` |
    /// | int | `{"int": -42}` |
    /// | unsigned | `{"unsigned": "18446744073709551615"}` |
    /// | float, double | `{"double": "0.1"}`; also `"nan"`, `"inf"`, `"-inf"`, `"-0"` |
    /// | string, url | `{"string": "text"}`, `{"url": "https://example.org/"}` |
    /// | date | `{"date": "123456.789"}`: seconds since 2001-01-01T00:00:00Z |
    /// | data | `{"data": "AP8="}`: Base64 |
    /// | array | `{"array": [{"int": 1}]}` |
    /// | dictionary | `{"dictionary": [{"key": "a", "value": {"int": 1}}]}`, sorted by key |
    ///
    /// Combining characters in a string or key are escaped and flagged: `{"string": "e\\u{301}", "escaped": true}`. `PropertyListEncoder`
    /// keeps only one of two strings that Swift considers equal, so strings without escapes would not round-trip.
    ///
    /// Every value round-trips exactly through JSON and binary property lists, regardless of the coder's strategies. XML property lists
    /// cannot represent most control characters in strings.
    ///
    /// - Parameter encoder: The encoder to write the value to.
    /// - Throws: `EncodingError` if arrays and dictionaries nest deeper than ``maximumDepth``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: KindKey.self)
        try encode(into: &container, depth: Self.maximumDepth)
    }

    private func encode(into container: inout KeyedEncodingContainer<KindKey>, depth: Int) throws {
        switch self {
        case .null: try container.encode(true, forKey: .kind(.null))
        case .bool(let truth): try container.encode(truth, forKey: .kind(.bool))
        case .int(let number): try container.encode(number, forKey: .kind(.int))
        case .unsigned(let number):
            if let signed = Int64(exactly: number) {
                try container.encode(signed, forKey: .kind(.int))
            } else {
                try container.encode(String(number), forKey: .kind(.unsigned))
            }
        case .float(let number): try container.encode(number.shortestText, forKey: .kind(.float))
        case .double(let number): try container.encode(number.shortestText, forKey: .kind(.double))
        case .string(let text): try container.encode(text, forKey: .kind(.string), flag: .escaped)
        case .url(let text): try container.encode(text, forKey: .kind(.url), flag: .escaped)
        case .date(let date):
            try container.encode(date.timeIntervalSinceReferenceDate.shortestText, forKey: .kind(.date))
        case .data(let data): try container.encode(data.base64EncodedString(), forKey: .kind(.data))
        case .array(let elements):
            try check(depth, container.codingPath)
            var list = container.nestedUnkeyedContainer(forKey: .kind(.array))
            for element in elements {
                var container = list.nestedContainer(keyedBy: KindKey.self)
                try element.encode(into: &container, depth: depth - 1)
            }
        case .dictionary(let entries):
            try check(depth, container.codingPath)
            var list = container.nestedUnkeyedContainer(forKey: .kind(.dictionary))
            for entry in entries {
                var pair = list.nestedContainer(keyedBy: EntryKey.self)
                try pair.encode(entry.key, forKey: .key, flag: .escaped)
                var container = pair.nestedContainer(keyedBy: KindKey.self, forKey: .value)
                try entry.value.encode(into: &container, depth: depth - 1)
            }
        }
    }

    private func check(_ depth: Int, _ path: [any CodingKey]) throws {
        guard depth > 0 else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(codingPath: path, debugDescription: Self.nestedTooDeep)
            )
        }
    }

    /// Decodes a value that was encoded by ``encode(to:)``.
    ///
    /// - Parameter decoder: The decoder to read the value from.
    /// - Throws: `DecodingError` if the input is malformed, for example if an object has two entries or a dictionary has a duplicate key.
    public init(from decoder: any Decoder) throws {
        self = try Self.decode(from: decoder.container(keyedBy: KindKey.self), depth: Self.maximumDepth)
    }

    private static func decode(from container: KeyedDecodingContainer<KindKey>, depth: Int) throws -> StoredValue {
        let keys = container.allKeys.filter { $0 != .escaped }
        guard keys.count == 1, let key = keys.first, case .kind(let kind) = key else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: container.codingPath,
                    debugDescription: "A stored value must be a dictionary with one entry, keyed by the value's kind."
                )
            )
        }
        func number<Number>(_ read: (String) -> Number?) throws -> Number {
            guard let number = try read(container.decode(String.self, forKey: key)) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key,
                    in: container,
                    debugDescription: "The string can't be parsed as a value of kind \(kind.rawValue)."
                )
            }
            return number
        }
        func double(_ text: String) -> Double? { Double.converted(from: .string(text), policy: .documented)?.value }

        switch kind {
        case .null:
            _ = try container.decode(Bool.self, forKey: key)
            return .null
        case .bool: return .bool(try container.decode(Bool.self, forKey: key))
        case .int: return .int(try container.decode(Int64.self, forKey: key))
        case .unsigned: return .unsigned(try number { UInt64($0) })
        case .float: return .float(try number { Float.converted(from: .string($0), policy: .documented)?.value })
        case .double: return .double(try number(double))
        case .string: return .string(try container.decode(textForKey: key, flag: .escaped))
        case .url: return .url(try container.decode(textForKey: key, flag: .escaped))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: try number(double)))
        case .data: return .data(try number { Data(base64Encoded: $0) })
        case .array:
            try check(depth, key, container)
            var list = try container.nestedUnkeyedContainer(forKey: key)
            var elements: [StoredValue] = []
            while !list.isAtEnd {
                elements.append(try decode(from: list.nestedContainer(keyedBy: KindKey.self), depth: depth - 1))
            }
            return .array(elements)
        case .dictionary:
            try check(depth, key, container)
            var list = try container.nestedUnkeyedContainer(forKey: key)
            var pairs: [(String, StoredValue)] = []
            while !list.isAtEnd {
                let pair = try list.nestedContainer(keyedBy: EntryKey.self)
                let value = try decode(
                    from: pair.nestedContainer(keyedBy: KindKey.self, forKey: .value),
                    depth: depth - 1
                )
                pairs.append((try pair.decode(textForKey: .key, flag: .escaped), value))
            }
            let entries = StoredDictionary(pairs)
            guard entries.count == pairs.count else {
                throw DecodingError.dataCorruptedError(
                    forKey: key,
                    in: container,
                    debugDescription: "The dictionary contains a duplicate key."
                )
            }
            return .dictionary(entries)
        }
    }

    private static func check(_ depth: Int, _ key: KindKey, _ container: KeyedDecodingContainer<KindKey>) throws {
        guard depth > 0 else {
            throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: nestedTooDeep)
        }
    }

    private static let nestedTooDeep = "Arrays and dictionaries are nested more than \(maximumDepth) levels deep."
}

/// The coding keys of an encoded value: the name of its kind, and a flag for escaped strings.
private enum KindKey: CodingKey, Equatable {
    case kind(StoredValue.Kind)
    case escaped

    init?(stringValue: String) {
        if stringValue == Self.escaped.stringValue {
            self = .escaped
        } else {
            guard let kind = StoredValue.Kind(rawValue: stringValue) else { return nil }
            self = .kind(kind)
        }
    }
    init?(intValue: Int) { nil }

    var stringValue: String {
        switch self {
        case .kind(let kind): kind.rawValue
        case .escaped: "escaped"
        }
    }
    var intValue: Int? { nil }
}

/// The coding keys of an encoded dictionary entry.
private enum EntryKey: String, CodingKey { case key, escaped, value }

extension KeyedEncodingContainer {
    fileprivate mutating func encode(_ text: String, forKey key: Key, flag: Key) throws {
        if text.unicodeScalars.allSatisfy(\.isInertInComposedText) {
            try encode(text, forKey: key)
        } else {
            try encode(text.withCombiningScalarsEscaped, forKey: key)
            try encode(true, forKey: flag)
        }
    }
}

extension KeyedDecodingContainer {
    fileprivate func decode(textForKey key: Key, flag: Key) throws -> String {
        let text = try decode(String.self, forKey: key)
        guard try decodeIfPresent(Bool.self, forKey: flag) == true else { return text }
        guard let unescaped = String(unescaping: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key,
                in: self,
                debugDescription: "A backslash must be followed by another backslash or by u{…}."
            )
        }
        return unescaped
    }
}
