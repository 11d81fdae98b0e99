import Foundation
import LarderCore
import LarderTestSupport
import Testing

@Suite struct StoredValueDescriptionTests {
    @Test(
        arguments: [
            (.null, "null"), (true, "true"), (-42, "-42"), (.unsigned(.max), "18446744073709551615"),
            (.float(0.1), "0.1"),
            (3.0, "3"), (1e20, "1e+20"), (-0.0, "-0"), (.double(-.nan), "nan"), ("plain", #""plain""#),
            ("a \"b\" \\\n\r\t\u{0}\u{7F}\u{2028}\u{202E}", #""a \"b\" \\\n\r\t\u{0}\u{7F}\u{2028}\u{202E}""#),
            ("👩‍👩‍👧é", #""👩‍👩‍👧é""#), ("\u{301}", #""\u{301}""#), (.url("https://a.b/?c>"), #"<https://a.b/?c\>>"#),
            (.data(Data()), "0x"), (.data(Data([0, 0xFF])), "0x00ff"),
            (.data(Data(repeating: 1, count: 1_000)), "0x" + String(repeating: "01", count: 32) + "…(1000 bytes)"),
            ([], "[]"), ([1, "x", [.null]], #"[1, "x", [null]]"#), ([:], "[:]"),
            (["b": 1, "a": []], #"["a": [], "b": 1]"#),
        ] as [(StoredValue, String)]
    )
    func eachValueTypeHasDocumentedDescription(value: StoredValue, expected: String) {
        #expect(value.description == expected)
    }

    @Test(
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (123_456.789, "2001-01-02T10:17:36.789Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
            (-978_307_200, "1970-01-01T00:00:00Z"), (1.5e-7, "2001-01-01T00:00:00.00000015Z"),
            (-1e-7, "2000-12-31T23:59:59.9999999Z"), (-1, "2000-12-31T23:59:59Z"),
            (-26_524_800, "2000-02-29T00:00:00Z"),
            (-63_113_904_000, "0001-01-01T00:00:00Z"), (-63_145_526_400, "0000-01-01T00:00:00Z"),
            (252_423_993_599, "9999-12-31T23:59:59Z"), (252_423_993_600, "@252423993600"),
            (-63_145_526_401, "@-63145526401"),
            (1e20, "@1e+20"), (.nan, "@nan"), (-.infinity, "@-inf"),
        ] as [(Double, String)]
    )
    func dateDescriptionHasExactFraction(interval: Double, expected: String) {
        #expect(StoredValue.date(Date(timeIntervalSinceReferenceDate: interval)).description == expected)
    }

    @Test func dateDescriptionsAgreeWithFoundation() {
        var generator = SplitMix64(seed: 30)
        for _ in 0..<2_000 {
            let date = Date(
                timeIntervalSinceReferenceDate: Double(
                    Int64.random(in: -12_000_000_000...252_423_993_599, using: &generator)
                )
            )
            #expect(StoredValue.date(date).description == date.formatted(.iso8601))
        }
    }

    @Test func descriptionTruncatesDeeplyNestedValues() {
        var value: StoredValue = 1
        for _ in 0..<1_000 { value = [value] }
        #expect(value.description == String(repeating: "[", count: 64) + "…" + String(repeating: "]", count: 64))
        #expect(StoredValue.dictionary(["a": value]).description.contains("…"))
    }

    @Test func everyDescriptionIsSingleLine() {
        var generator = SplitMix64(seed: 31)
        for _ in 0..<2_000 {
            let lines = StoredValue.random(depth: 3, using: &generator).description.split(whereSeparator: \.isNewline)
            #expect(lines.count == 1)
        }
    }
}
