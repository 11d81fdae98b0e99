import Foundation
import LarderCore
import LarderDeviceStorage
import Testing

struct StoredValueObjectTests {
    @Test(
        arguments: [
            (true, .bool(true)),
            (5, .int(5)),
            (Int8(-1), .int(-1)),
            (UInt16(7), .int(7)),
            (Int.max, .int(.max)),
            (UInt64.max, .unsigned(.max)),
            (Int128(9), .int(9)),
            (Float(0.1), .float(0.1)),
            (0.1, .double(0.1)),
            (2.0, .double(2)),
            (CGFloat(1.5), .double(1.5)),
            ("🙂", .string("🙂")),
            ("abc".dropFirst(), .string("bc")),
            (URL(filePath: "/a b"), .url("file:///a%20b")),
            (Date(timeIntervalSinceReferenceDate: 0.25), .date(Date(timeIntervalSinceReferenceDate: 0.25))),
            (Data([1, 2]), .data(Data([1, 2]))),
            (["a": [1, nil] as [Int?]], .dictionary(["a": .array([1, .null])])),
            ([1, 2, 3].dropFirst(), .array([2, 3])),
            (ContiguousArray([1.5]), .array([.double(1.5)])),
            ([Substring("k"): true], .dictionary(["k": true])),
            ([URL(filePath: "/a")], .array([.url("file:///a")])),
            (Optional(5), .int(5)),
            (Optional(Optional("x")), .string("x")),
            (Optional<Int>.none, .null),
        ] as [(any Sendable, StoredValue)]
    )
    func swiftValuesConvertToStoredValues(value: any Sendable, expected: StoredValue) throws {
        #expect(try StoredValue(object: value) == expected)
    }

    @Test func nsNumberConvertsToStoredValueOfSameType() throws {
        #expect(try StoredValue(object: NSNumber(value: true)) == .bool(true))
        #expect(try StoredValue(object: NSNumber(value: false)) == .bool(false))
        #expect(try StoredValue(object: NSNumber(value: 1)) == .int(1))
        #expect(try StoredValue(object: NSNumber(value: Int8(1))) == .int(1))
        #expect(try StoredValue(object: NSNumber(value: 1.0)) == .double(1))
        #expect(try StoredValue(object: NSNumber(value: Float(1))) == .float(1))
        #expect(try StoredValue(object: NSNumber(value: Int64.max)) == .int(.max))
        #expect(try StoredValue(object: NSNumber(value: UInt64.max)) == .unsigned(.max))
    }

    @Test func foundationObjectsConvertToStoredValues() throws {
        #expect(try StoredValue(object: NSString("e\u{301}")) == .string("e\u{301}"))
        #expect(try StoredValue(object: try #require(NSURL(string: "https://a.b/c"))) == .url("https://a.b/c"))
        #expect(
            try StoredValue(object: NSDate(timeIntervalSinceReferenceDate: 0.5))
                == .date(Date(timeIntervalSinceReferenceDate: 0.5))
        )
        #expect(try StoredValue(object: NSData(data: Data([7]))) == .data(Data([7])))
        #expect(try StoredValue(object: NSArray(array: [1, "a", NSNull()])) == .array([1, "a", .null]))
        #expect(try StoredValue(object: NSNull()) == .null)
        #expect(try StoredValue(object: AnyHashable(3)) == .int(3))
    }

    @Test(
        arguments: [
            AStruct(), UUID(), Set([1]), Decimal(1.5), Character("a"), Int128.max, [1: 2], [UUID()], 1..<2,
        ] as [any Sendable]
    )
    func unstorableValueIsRejected(value: any Sendable) {
        #expect(throwsCode(.unsupportedValue) { try StoredValue(object: value) })
    }

    @Test func unstorableObjectIsRejected() {
        for object in [
            NSObject(), NSDecimalNumber(string: "1.5"), NSSet(), NSDictionary(object: 1, forKey: NSNumber(value: 2)),
        ] {
            #expect(throwsCode(.unsupportedValue) { try StoredValue(object: object) })
        }
    }

    @Test func excessiveNestingIsRejected() throws {
        var object: Any = 1
        for _ in 0..<StoredValue.maximumDepth { object = [object] }
        _ = try StoredValue(object: object)
        #expect(throwsCode(.unsupportedValue) { try StoredValue(object: [object]) })
    }

    @Test func objectIsReturnedAsCorrespondingSwiftType() {
        #expect(StoredValue.bool(true).object as? Bool == true)
        #expect(StoredValue.int(.max).object as? Int == .max)
        #expect(StoredValue.unsigned(.max).object as? UInt64 == .max)
        #expect(StoredValue.float(0.1).object as? Float == 0.1)
        #expect(StoredValue.double(2).object as? Double == 2)
        #expect(StoredValue.url("https://a.b/c?d#e").object as? URL == URL(string: "https://a.b/c?d#e"))
        #expect(StoredValue.url("").object as? String == "")
        #expect(StoredValue.array([1, 2]).object as? [Int] == [1, 2])
        #expect(StoredValue.array([1, .null]).object as? [Int?] == [1, nil])
        #expect(StoredValue.array(["a"]).object as? [Int] == nil)
        #expect(StoredValue.dictionary(["a": [1.5]]).object as? [String: [Double]] == ["a": [1.5]])
    }

    @Test func dictionaryWithEqualKeysKeepsLaterEntry() {
        let objects = StoredValue.dictionary(["e\u{301}": 1, "\u{e9}": 2]).object as? [String: Int]
        #expect(objects?.count == 1)
    }
}

private struct AStruct: Sendable {}
