#if Objects
import Foundation
import LarderObjects
import Testing

/// Tests of the stored forms of single values and their order.
@Suite struct ColumnTests {
    /// Returns whether a type can't decode any of the columns.
    private func refuses<Value: ColumnConvertible>(_ type: Value.Type, _ columns: [ColumnValue]) -> Bool {
        columns.allSatisfy { Value.fromColumn($0) == nil }
    }

    @Test func columnValueOfWrongTypeCannotBeDecoded() {
        let (integer, text, blob) = (ColumnValue.integer(7), ColumnValue.text("a"), ColumnValue.blob(Data([1])))
        #expect(refuses(Int.self, [.null, text, blob]))
        #expect(refuses(UInt.self, [.null, text, blob]))
        #expect(refuses(Double.self, [.null, text, blob]))
        #expect(refuses(Bool.self, [.null, text, blob, integer]))
        #expect(refuses(String.self, [.null, integer, blob]))
        #expect(refuses(URL.self, [.null, integer, blob]))
        #expect(refuses(Data.self, [.null, integer, text]))
        #expect(refuses(UUID.self, [.null, integer, text, blob]))
        #expect(refuses(Date.self, [.null, text, blob]))
    }

    @Test(arguments: [
        "", "10", "3", "0500", "0500~", "2500", "25001a", "2x001", "2" + String(repeating: "9", count: 60),
    ])
    func invalidDecimalStringCannotBeDecoded(_ text: String) {
        #expect(Decimal.fromColumn(.text(text)) == nil)
    }

    @Test func outOfRangeIntegerCannotBeDecoded() {
        #expect(refuses(Int8.self, [.integer(128), .integer(-129)]))
        #expect(refuses(Int16.self, [.integer(32_768)]))
        #expect(refuses(Int32.self, [.integer(1 << 31)]))
        #expect(refuses(UInt8.self, [UInt16(256).columnValue]))
        #expect(refuses(UInt16.self, [UInt32(65_536).columnValue]))
        #expect(refuses(UInt32.self, [UInt64(1 << 32).columnValue]))
    }

    @Test func unsignedIntegersRoundTrip() {
        #expect(UInt16.fromColumn(UInt16.max.columnValue) == .max)
        #expect(UInt32.fromColumn(UInt32.max.columnValue) == .max)
        #expect(UInt.fromColumn(UInt.max.columnValue) == .max)
    }

    @Test func optionalsDecodeNullAndWrappedValues() {
        #expect(Int?.fromColumn(.null) == .some(nil))
        #expect(Int?.fromColumn(.integer(3)) == .some(3))
        #expect(Int?.fromColumn(.text("a")) == .none)
        #expect(Int?.placeholder == nil && Int?.isOptionalColumn && !Int.isOptionalColumn)
    }

    @Test func unknownRawValueCannotBeDecoded() {
        #expect(RawValueCoding<Level>.decode(.integer(2)) == nil)
        #expect(OptionalRawValueCoding<Level>.decode(.integer(2)) == .none)
        #expect(OptionalRawValueCoding<Level>.decode(.null) == .some(nil))
        #expect(RawValueCoding<Level>.decode(.integer(10)) == .high)
    }

    @Test func invalidJSONCannotBeDecoded() {
        #expect(JSONCoding<Address>.decode(.text("[1]")) == nil)
        #expect(JSONCoding<Address>.decode(.integer(1)) == nil)
        #expect(JSONCoding<Address>.decode(.null) == nil)
    }

    @Test func nonFiniteNumbersInJSONRoundTrip() {
        let values = [Double.infinity, -.infinity, 0.1]
        #expect(JSONCoding<[Double]>.decode(JSONCoding<[Double]>.encode(values)) == values)
    }

    @Test func columnValuesSortLikeSQLite() {
        let sorted: [ColumnValue] = [
            .null, .integer(-1), .real(-0.5), .integer(0), .real(0.5), .integer(1), .text("a"), .text("b"),
            .blob(Data([0])), .blob(Data([0, 1])),
        ]
        #expect(sorted.reversed().sorted() == sorted)
        #expect(Set(sorted + sorted).count == sorted.count)
    }

    @Test func placeholderValuesAreZeroOrEmpty() {
        #expect(Int.placeholder == 0 && UInt.placeholder == 0 && Double.placeholder == 0 && Float.placeholder == 0)
        #expect(!Bool.placeholder && String.placeholder.isEmpty && Data.placeholder.isEmpty && Decimal.placeholder == 0)
        #expect(Date.placeholder.timeIntervalSinceReferenceDate == 0)
        #expect(URL.placeholder.absoluteString == "about:blank")
        #expect(UUID.placeholder.uuidString == "00000000-0000-0000-0000-000000000000")
    }
}
#endif
