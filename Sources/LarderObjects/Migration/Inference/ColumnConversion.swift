#if Objects
/// A conversion of an attribute's stored values from one format to another.
///
/// A conversion is exact if converting the result back returns the original value.
struct ColumnConversion: Hashable, Sendable {
    /// The result of converting one value.
    enum Outcome: Hashable {
        /// The converted value, if converting it back yields the original value.
        case exact(ColumnValue)
        /// The nearest value in the new format, if converting it back does not yield the original value.
        case inexact(ColumnValue)
        /// No result, because the new format can't represent the value.
        case none
    }

    /// The name of the old format.
    let from: String
    let to: String
    /// Whether all convertible values are converted exactly and need no round-trip check.
    private let isExact: Bool
    /// Whether at least some values in the old format can be converted.
    let isPossible: Bool
    /// Whether the formats differ, and every value in the old format is converted exactly.
    let isTotal: Bool
    private let quick: Quick

    /// A fast path for conversions that do not need Foundation.
    private enum Quick: Hashable {
        case no
        case integerToReal
        case integerToText
        case integerToInteger(ClosedRange<Int64>)
        case realToInteger(ClosedRange<Int64>)

        init(from: String, to: String) {
            let range = IntegerFormats.ranges[to].map {
                Int64(clamping: $0.lowerBound)...Int64(clamping: $0.upperBound)
            }
            switch (IntegerFormats.ranges[from] != nil, to) {
            case (true, "double"): self = .integerToReal
            case (true, "string"), (true, "json"): self = .integerToText
            case (true, _): self = range.map { .integerToInteger($0) } ?? .no
            case (false, _): self = from == "double" ? range.map { .realToInteger($0) } ?? .no : .no
            }
        }
    }

    /// Creates a conversion between two formats.
    init(from: String, to: String) {
        self.from = from
        self.to = to
        let isInteger = IntegerFormats.ranges[from] != nil || from == "bool"
        isTotal = Self.isTotal(from: from, to: to)
        isExact = from == to || isTotal || isInteger && IntegerFormats.ranges[to] != nil
        isPossible = from == to || Self.targets(of: from).contains(to)
        quick = from == to ? .no : Quick(from: from, to: to)
    }

    var isIdentity: Bool { from == to }

    /// Returns whether every value in the old format is converted exactly.
    private static func isTotal(from: String, to: String) -> Bool {
        switch from {
        case "bool":
            IntegerFormats.ranges[to] != nil || ["double", "float", "decimal", "string", "json"].contains(to)
        case "double": ["string", "date", "json"].contains(to)
        case "float": ["double", "string", "date", "json"].contains(to)
        case "uuid": ["string", "data", "json"].contains(to)
        case "date": ["double", "json"].contains(to)
        case "decimal", "url": ["string", "json"].contains(to)
        case "string": ["data", "json"].contains(to)
        default: IntegerFormats.ranges[from] != nil && ["decimal", "string", "json"].contains(to)
        }
    }

    /// Returns the formats to which values in `format` can be converted.
    static func targets(of format: String) -> Set<String> {
        let numbers = Set(IntegerFormats.ranges.keys).union(["bool", "double", "float", "decimal"])
        switch format {
        case "double", "float": return numbers.union(["string", "date", "json"])
        case "decimal", "bool": return numbers.union(["string", "json"])
        case "string": return numbers.union(["string", "url", "uuid", "data", "json"])
        case "url": return ["url", "string", "json"]
        case "uuid": return ["uuid", "string", "data", "json"]
        case "data": return ["data", "string", "uuid"]
        case "date": return ["date", "double", "float", "json"]
        case "json": return numbers.union(["string", "url", "uuid", "date", "json"])
        default: return IntegerFormats.ranges[format] == nil ? [format] : numbers.union(["string", "json"])
        }
    }

    /// Converts a stored value to the new format.
    ///
    /// NULL remains NULL, which is an exact conversion.
    func convert(_ value: ColumnValue) -> Outcome {
        if isIdentity || value.isNull { return .exact(value) }
        if let outcome = quickOutcome(value) { return outcome }
        guard isPossible, let result = Self.result(of: value, from, to) else { return .none }
        if isExact { return .exact(result) }
        return Self.result(of: result, to, from) == value ? .exact(result) : .inexact(result)
    }

    /// Converts a value without Foundation, or returns `nil` if the conversion needs Foundation.
    private func quickOutcome(_ value: ColumnValue) -> Outcome? {
        switch (quick, value) {
        case (.integerToReal, .integer(let integer)):
            let real = Double(integer)
            return Int64(exactly: real) == integer ? .exact(.real(real)) : .inexact(.real(real))
        case (.integerToText, .integer(let integer)): return .exact(.text(String(integer)))
        case (.integerToInteger(let range), .integer(let integer)):
            return range.contains(integer) ? .exact(value) : Outcome.none
        case (.realToInteger(let range), .real(let real)):
            let rounded = real.rounded(.toNearestOrEven)
            // Above `Int64.max`, the number may still fit in an unsigned integer.
            guard let integer = Int64(exactly: rounded) else { return nil }
            guard range.contains(integer) else { return Outcome.none }
            return rounded == real ? .exact(.integer(integer)) : .inexact(.integer(integer))
        default: return nil
        }
    }

    private static func result(of value: ColumnValue, _ from: String, _ to: String) -> ColumnValue? {
        NeutralValue(value, format: from)?.stored(as: to)
    }
}

/// The ranges of the integer formats, keyed by format name.
enum IntegerFormats {
    static let ranges: [String: ClosedRange<Int128>] = [
        "int8": Int128(Int8.min)...Int128(Int8.max), "int16": Int128(Int16.min)...Int128(Int16.max),
        "int32": Int128(Int32.min)...Int128(Int32.max), "int64": Int128(Int64.min)...Int128(Int64.max),
        "uint8": 0...Int128(UInt8.max), "uint16": 0...Int128(UInt16.max), "uint32": 0...Int128(UInt32.max),
        "uint64": 0...Int128(UInt64.max),
    ]
}
#endif
