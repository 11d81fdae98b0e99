import Foundation
import LarderCore
import LarderTestSupport
import Testing

@Suite struct StoredValueCodableTests {
    @Test(arguments: StoredValue.samples) func sampleValuesRoundTripThroughJSON(value: StoredValue) throws {
        #expect(try JSONDecoder().decode(StoredValue.self, from: JSONEncoder().encode(value)) == value)
    }

    @Test(arguments: StoredValue.samples) func sampleValuesRoundTripThroughPropertyList(value: StoredValue) throws {
        #expect(try PropertyListDecoder().decode(StoredValue.self, from: PropertyListEncoder().encode(value)) == value)
    }

    @Test func randomValuesRoundTripThroughJSONAndPropertyLists() throws {
        var generator = SplitMix64(seed: 20)
        for _ in 0..<300 {
            let value = StoredValue.random(depth: 3, using: &generator)
            #expect(try JSONDecoder().decode(StoredValue.self, from: JSONEncoder().encode(value)) == value)
            #expect(
                try PropertyListDecoder().decode(StoredValue.self, from: PropertyListEncoder().encode(value)) == value
            )
        }
    }

    @Test(arguments: StoredValue.samples.filter { !$0.description.contains("\\u{0}") })
    func sampleValuesWithoutControlCharactersRoundTripThroughXML(value: StoredValue) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        #expect(try PropertyListDecoder().decode(StoredValue.self, from: encoder.encode(value)) == value)
    }

    @Test(
        arguments: [
            (.null, #"{"null":true}"#), (true, #"{"bool":true}"#), (-42, #"{"int":-42}"#),
            (.unsigned(.max), #"{"unsigned":"18446744073709551615"}"#), (.unsigned(7), #"{"int":7}"#),
            (.float(0.1), #"{"float":"0.1"}"#), (-0.0, #"{"double":"-0"}"#), ("x", #"{"string":"x"}"#),
            (.url("a:b"), #"{"url":"a:b"}"#), (.data(Data([0, 0xFF])), #"{"data":"AP8="}"#),
            (.date(Date(timeIntervalSinceReferenceDate: 123_456.789)), #"{"date":"123456.789"}"#),
            ("e\u{301}\\", #"{"escaped":true,"string":"e\\u{301}\\\\"}"#), ("\u{E9}\\", #"{"string":"\#u{E9}\\"}"#),
            ("Жあ한👩", #"{"string":"Жあ한👩"}"#),
            (["e\u{301}": 1], #"{"dictionary":[{"escaped":true,"key":"e\\u{301}","value":{"int":1}}]}"#),
            ([1], #"{"array":[{"int":1}]}"#),
            (
                ["b": .null, "a": 1],
                #"{"dictionary":[{"key":"a","value":{"int":1}},{"key":"b","value":{"null":true}}]}"#
            ),
        ] as [(StoredValue, String)]
    )
    func storedValueIsEncodedInDocumentedJSONFormat(value: StoredValue, expected: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try String(decoding: encoder.encode(value), as: UTF8.self) == expected)
    }

    @Test(arguments: [
        "{}", #"{"int":1,"bool":true}"#, #"{"other":1}"#, "1", #"{"int":1.5}"#, #"{"double":1.5}"#, #"{"double":"x"}"#,
        #"{"double":"1e999"}"#, #"{"unsigned":"-1"}"#, #"{"data":"%"}"#, #"{"array":{}}"#,
        #"{"dictionary":[{"key":"a"}]}"#,
        #"{"dictionary":[{"key":"a","value":{"int":1}},{"key":"a","value":{"int":1}}]}"#, #"{"null":null}"#,
        #"{"string":"\\","escaped":true}"#, #"{"string":"\\n","escaped":true}"#, #"{"string":"\\u{}","escaped":true}"#,
        #"{"string":"\\u{D800}","escaped":true}"#, #"{"string":"\\u{41","escaped":true}"#,
        #"{"string":"a","escaped":1}"#,
        #"{"escaped":true}"#,
    ])
    func decodingUndocumentedJSONFormatThrows(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(StoredValue.self, from: Data(text.utf8)) }
    }

    @Test func canonicallyEquivalentStringsRemainDistinctInPropertyList() throws {
        let texts: [StoredValue] = [
            "\u{E9}", "e\u{301}", "\u{212B}", "\u{C5}", "A\u{30A}", "\u{D55C}", "\u{1112}\u{1161}\u{11AB}",
        ]
        #expect(
            try PropertyListDecoder().decode([StoredValue].self, from: PropertyListEncoder().encode(texts)) == texts
        )
    }

    @Test func codingValueNestedDeeperThanSixtyFourLevelsThrows() throws {
        var value: StoredValue = ["a": 1]
        for _ in 1..<64 { value = [value] }
        let deepest = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(StoredValue.self, from: deepest) == value)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(StoredValue.array([value])) }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(StoredValue.dictionary(["a": value])) }
        let deeper = Data(#"{"array":["#.utf8) + deepest + Data("]}".utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(StoredValue.self, from: deeper) }
    }
}
