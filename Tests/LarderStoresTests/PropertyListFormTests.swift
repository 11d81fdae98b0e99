import Foundation
import LarderCore
import LarderStores
import LarderTesting
import Testing

@Suite struct PropertyListFormTests {
    static let values: [StoredValue] = {
        var generator = StoredValueGenerator(seed: 1)
        return StoredValueGenerator.edgeValues + (0..<300).map { _ in generator.value() }
    }()

    @Test(arguments: [PropertyListForm.file, .userDefaults])
    func everyValueRoundTripsThroughPlainForm(form: PropertyListForm) throws {
        for value in Self.values {
            #expect(try form.value(ofPlain: form.plain(value), path: ["k"]) == value)
        }
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func everyValueSurvivesFoundationRoundTrip(format: PropertyListSerialization.PropertyListFormat) throws {
        for value in Self.values {
            let object = PropertyListForm.userDefaults.object(for: value)
            let bytes = try PropertyListSerialization.data(fromPropertyList: ["k": object], format: format, options: 0)
            let list = try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any]
            let back = try PropertyListForm.userDefaults.value(of: #require(list?["k"]), at: "k")
            #expect(back == value)
        }
    }

    @Test func valuesSupportedByFoundationAreNotTagged() {
        let form = PropertyListForm.userDefaults
        #expect(form.object(for: 3.14) as? Double == 3.14)
        #expect(form.object(for: 7) as? Int == 7)
        #expect(form.object(for: true) as? Bool == true)
        #expect(form.object(for: "a\u{1}b") as? String == "a\u{1}b")
        #expect(form.object(for: ["a", "b"]) as? [String] == ["a", "b"])
        #expect(form.object(for: ["a": 1]) as? [String: Int] == ["a": 1])
        #expect(form.object(for: .date(.distantFuture)) as? Date == .distantFuture)
        #expect(form.object(for: .float(0.1)) as? [String: String] == ["larder:type": "float", "larder:value": "0.1"])
    }

    @Test func distinctKeysAreWrittenAsDistinctPropertyListKeys() throws {
        var generator = StoredValueGenerator(seed: 2)
        let keys = StoredValueGenerator.edgeTexts + (0..<2_000).map { _ in generator.key() }
        for form in [PropertyListForm.file, .userDefaults] {
            for key in keys {
                #expect(try form.text(ofKey: form.key(for: key)).hasSameBytes(as: key))
            }
            let distinct = Set(keys.map { Data($0.utf8) })
            // A Swift set compares strings by canonical equivalence, under which the forms must differ.
            #expect(Set(keys.map { form.key(for: $0) }).count == distinct.count)
        }
        #expect(PropertyListForm.file.key(for: "e\u{301}") == "larder:key:e%CC%81")
        #expect(PropertyListForm.file.key(for: "larder:type") == "larder:key:larder:type")
        #expect(PropertyListForm.file.key(for: "Größe 🙂 50%") == "Größe 🙂 50%")
    }

    @Test func optionalsInFoundationArraysAreUnwrapped() throws {
        let object: [Any?] = [1, "a", [Optional<Any>.some(2.5)] as [Any?]]
        #expect(try PropertyListForm.userDefaults.value(of: object, at: "k") == [1, "a", [2.5]])
        let entries: [AnyHashable: Any?] = ["a": 1]
        #expect(try PropertyListForm.userDefaults.value(of: entries, at: "k") == ["a": 1])
    }

    @Test func foundationNumbersKeepType() throws {
        let cases: [(Any, StoredValue)] = [
            (NSNumber(value: true), true), (NSNumber(value: 1), 1), (NSNumber(value: Int8(1)), 1), (UInt8(3), 3),
            (NSNumber(value: UInt64.max), .unsigned(.max)), (NSNumber(value: Float(0.1)), .float(0.1)),
            (Float(0.1), .float(0.1)),
            (NSNumber(value: 0.1), 0.1), (0.1, 0.1), (Int64.max, .int(.max)), (UInt64(7), 7),
            (NSString(string: "a"), "a"),
        ]
        for (object, value) in cases { #expect(try PropertyListForm.userDefaults.value(of: object, at: "k") == value) }
    }

    @Test func unknownTagIsNamedInError() {
        let error = #expect(throws: StoreError.self) {
            try PropertyListForm.file.value(
                ofPlain: ["a": ["larder:type": "decimal", "larder:value": "1"]],
                path: ["k"]
            )
        }
        #expect(error?.code == .newerFormat)
        #expect(error?.message.contains("decimal") == true)
        #expect(error?.key == "k")
    }

    @Test(
        arguments: [
            ["larder:type": "float"], ["larder:type": "float", "larder:value": "x"], ["larder:type": 1],
            ["larder:type": "null", "larder:value": 1], ["larder:type": "string", "larder:value": .data(Data([0xFF]))],
            ["larder:type": "double", "larder:value": "-0.0", "more": 1], ["larder:type": "url", "larder:value": 1],
            ["larder:type": "url", "larder:value": ["larder:type": "string", "larder:value": "x"]],
            ["larder:key:%0": 1], ["larder:key:%FF": 1], ["larder:key:a": 1, "a": 1], [["larder:key:%zz": 1]],
        ] as [StoredValue]
    )
    func malformedTagIsRejected(value: StoredValue) {
        let error = #expect(throws: StoreError.self) { try PropertyListForm.file.value(ofPlain: value, path: ["k"]) }
        #expect(error?.code == .damaged)
    }

    @Test func unsupportedPropertyListObjectIsRejected() {
        for object in [NSNull(), UUID(), [1: 2], Optional<Any>.none as Any] as [Any] {
            let error = #expect(throws: StoreError.self) {
                try PropertyListForm.userDefaults.value(of: object, at: "k")
            }
            #expect(error?.code == .unsupportedValue)
        }
    }
}
