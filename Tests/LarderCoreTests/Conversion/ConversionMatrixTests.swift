import Foundation
import LarderCore
import Testing

/// Tests of the conversion table in Documentation/Conversions.md, with one check per cell.
@Suite struct ConversionMatrixTests {
    /// A row of the conversion table, which lists the results of converting one stored value under the default policy.
    ///
    /// A column is `nil` if the value does not convert to its type.
    struct Row: Sendable, CustomTestStringConvertible {
        let stored: StoredValue
        var int: Int?
        var float: Float?
        var double: Double?
        var bool: Bool?
        var string: String?
        var url: URL?
        var date: Date?
        var data: Data?
        var array: [Int]?
        var dictionary: [String: Int]?
        var testDescription: String { "\(stored.kind)" }
    }

    static let moment = Date(timeIntervalSinceReferenceDate: 123_456.789)

    static let rows: [Row] = [
        Row(stored: 42, int: 42, float: 42, double: 42, bool: true, string: "42"),
        Row(stored: .unsigned(.max), float: 0x1p64, double: 0x1p64, bool: true, string: "18446744073709551615"),
        Row(stored: .float(2.5), int: 2, float: 2.5, double: 2.5, bool: true, string: "2.5"),
        Row(stored: .double(-5.9), int: -5, float: -5.9, double: -5.9, bool: true, string: "-5.9"),
        Row(stored: true, int: 1, float: 1, double: 1, bool: true, string: "1"),
        Row(stored: false, int: 0, float: 0, double: 0, bool: false, string: "0"),
        Row(
            stored: "1",
            int: 1,
            float: 1,
            double: 1,
            bool: true,
            string: "1",
            url: URL(filePath: "1", directoryHint: .notDirectory)
        ),
        Row(
            stored: .url("https://user@a.b/c?x=1#f"),
            string: "https://user@a.b/c?x=1#f",
            url: URL(string: "https://user@a.b/c?x=1#f")
        ),
        Row(stored: .date(moment), date: moment),
        Row(stored: .data(Data([1, 2])), data: Data([1, 2])),
        Row(stored: [1, 2], array: [1, 2]),
        Row(stored: ["a": 1], dictionary: ["a": 1]),
        Row(stored: .null),
    ]

    @Test(arguments: rows) func storedValueConvertsToIntAsDocumented(row: Row) { #expect(read(row.stored) == row.int) }
    @Test(arguments: rows) func storedValueConvertsToFloatAsDocumented(row: Row) {
        #expect(read(row.stored) == row.float)
    }
    @Test(arguments: rows) func storedValueConvertsToDoubleAsDocumented(row: Row) {
        #expect(read(row.stored) == row.double)
    }
    @Test(arguments: rows) func storedValueConvertsToBoolAsDocumented(row: Row) {
        #expect(read(row.stored) == row.bool)
    }
    @Test(arguments: rows) func storedValueConvertsToStringAsDocumented(row: Row) {
        #expect(read(row.stored) == row.string)
    }
    @Test(arguments: rows) func storedValueConvertsToURLAsDocumented(row: Row) {
        #expect(read(row.stored, as: URL.self)?.absoluteString == row.url?.absoluteString)
    }
    @Test(arguments: rows) func storedValueConvertsToDateAsDocumented(row: Row) {
        #expect(read(row.stored) == row.date)
    }
    @Test(arguments: rows) func storedValueConvertsToDataAsDocumented(row: Row) {
        #expect(read(row.stored) == row.data)
    }
    @Test(arguments: rows) func storedValueConvertsToArrayAsDocumented(row: Row) {
        #expect(read(row.stored) == row.array)
    }
    @Test(arguments: rows) func storedValueConvertsToDictionaryAsDocumented(row: Row) {
        #expect(read(row.stored) == row.dictionary)
    }

    @Test(arguments: rows) func strictPolicyReadsOnlyStoredType(row: Row) {
        let kind = row.stored.kind
        #expect((read(row.stored, .strict) as Int? != nil) == (kind == .int))
        #expect((read(row.stored, .strict) as UInt64? != nil) == (kind == .unsigned || row.stored == 42))
        #expect((read(row.stored, .strict) as Float? != nil) == (kind == .float))
        #expect((read(row.stored, .strict) as Double? != nil) == (kind == .double))
        #expect((read(row.stored, .strict) as Bool? != nil) == (kind == .bool))
        #expect((read(row.stored, .strict) as String? != nil) == (kind == .string))
        #expect((read(row.stored, .strict) as URL? != nil) == (kind == .url))
        #expect((read(row.stored, .strict) as Date? != nil) == (kind == .date))
        #expect((read(row.stored, .strict) as Data? != nil) == (kind == .data))
        #expect((read(row.stored, .strict) as [Int]? != nil) == (kind == .array))
        #expect((read(row.stored, .strict) as [String: Int]? != nil) == (kind == .dictionary))
    }

    @Test(arguments: rows) func foundationPolicyAllowsEveryDocumentedConversion(row: Row) {
        #expect(read(row.stored, .foundation) == row.int ?? 0)
        #expect(read(row.stored, .foundation) == row.float ?? 0)
        #expect(read(row.stored, .foundation) == row.double ?? 0)
        #expect(read(row.stored, .foundation) == row.bool ?? false)
        #expect(read(row.stored, .foundation) == row.string)
        #expect(read(row.stored, as: URL.self, .foundation)?.absoluteString == row.url?.absoluteString)
        #expect(read(row.stored, .foundation) == row.date)
        #expect(read(row.stored, .foundation) == row.data)
        #expect(read(row.stored, .foundation) == row.array)
        #expect(read(row.stored, .foundation) == row.dictionary)
    }

    @Test(arguments: [ConversionPolicy.strict, .documented, .foundation])
    func everyStorableTypeRoundTripsUnderEveryPolicy(policy: ConversionPolicy) {
        expectRoundTrip(Int.min, Int.max, policy)
        expectRoundTrip(Int8.min, Int8.max, policy)
        expectRoundTrip(Int16.min, Int16.max, policy)
        expectRoundTrip(Int32.min, Int32.max, policy)
        expectRoundTrip(Int64.min, Int64.max, policy)
        expectRoundTrip(UInt.min, UInt.max, policy)
        expectRoundTrip(UInt8.min, UInt8.max, policy)
        expectRoundTrip(UInt16.min, UInt16.max, policy)
        expectRoundTrip(UInt32.min, UInt32.max, policy)
        expectRoundTrip(UInt64.min, UInt64.max, policy)
        expectRoundTrip(Float.leastNonzeroMagnitude, Float.greatestFiniteMagnitude, policy)
        expectRoundTrip(Double.leastNonzeroMagnitude, -Double.infinity, policy)
        expectRoundTrip(true, false, policy)
        expectRoundTrip("", "👩\u{0}e\u{301}", policy)
        expectRoundTrip(URL(filePath: "/a b/é"), URL(filePath: "/"), policy)
        expectRoundTrip(Date.distantPast, Self.moment, policy)
        expectRoundTrip(Data(), Data([0, 255]), policy)
        expectRoundTrip([[1.5], []], [], policy)
        expectRoundTrip(["a": ["b": [true]]], ["": [:]], policy)
    }

    private func expectRoundTrip<Value: StorableValue & Equatable>(
        _ first: Value,
        _ second: Value,
        _ policy: ConversionPolicy
    ) {
        for value in [first, second] {
            let conversion = Value.converted(from: value.storedValue, policy: policy)
            #expect(conversion?.value == value)
            #expect(conversion?.isLossy == false)
        }
    }
}

/// Converts a stored value to the type that the caller expects, or returns `nil` if it does not convert.
func read<Value: StorableValue>(
    _ stored: StoredValue,
    as _: Value.Type = Value.self,
    _ policy: ConversionPolicy = .documented
) -> Value? {
    Value.converted(from: stored, policy: policy)?.value
}

/// Returns whether converting a stored value to `type` reports a loss of information.
func readsWithLoss<Value: StorableValue>(
    _ stored: StoredValue,
    as _: Value.Type,
    _ policy: ConversionPolicy = .documented
) -> Bool {
    Value.converted(from: stored, policy: policy)?.isLossy == true
}
