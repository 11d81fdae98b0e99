import Foundation
import LarderCore
import Testing

@Suite struct TextSearchTests {
    @Test func emptyTextIsNoSearch() { #expect(TextSearch("") == nil) }

    @Test(
        arguments: [
            ("ada", "Countess ADA Lovelace", true), ("ADA", "ada", true), ("ada", "ad a", false), ("ada", "", false),
            ("\u{C9}t\u{C9}", "un \u{E9}t\u{E9}", true), ("\u{E9}", "e\u{301}", false), ("\u{E9}", "plain", false),
            ("\u{416}", "\u{436}", true), ("aab", "aaab", true), ("\u{1F600}", "x\u{1F600}", true),
        ]
    )
    func textIsFoundWithoutRegardToCase(text: String, in other: String, isFound: Bool) {
        #expect(TextSearch(text)?.matches(other) == isFound)
    }

    @Test(
        arguments: [
            ("42", .int(-1_428), true), ("-1", .int(-1), true), ("7e", .int(7), false),
            ("18446744073709551615", .unsigned(.max), true), ("5e+", .double(2.5e30), true), ("0.1", .float(0.1), true),
            ("TRUE", .bool(true), true), ("fals", .bool(true), false),
            ("shop.EXAMPLE", .url("https://shop.example/"), true),
            ("2001-01-01t00", .date(Date(timeIntervalSinceReferenceDate: 0)), true),
            ("monday", .date(Date(timeIntervalSinceReferenceDate: 0)), false),
            ("\"name\"", .data(Data(#"{"NAME":1}"#.utf8)), true), ("null", .null, false),
            ("inner", .array([1, ["k": "the INNER one"]]), true), ("Key", .array([["key": 1]]), true),
            ("outer", .array([1, ["k": "v"]]), false),
        ] as [(String, StoredValue, Bool)]
    )
    func textIsFoundInValue(text: String, value: StoredValue, isFound: Bool) {
        #expect(TextSearch(text)?.matches(value) == isFound)
    }

    @Test func textsOfFewLettersAreFoundWhereTheyAre() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            func text(_ lengths: ClosedRange<Int>) -> String {
                let length = Int.random(in: lengths, using: &generator)
                return String((0..<length).map { _ in Bool.random(using: &generator) ? "a" : "b" })
            }
            let (text, other) = (text(1...6), text(0...16))
            #expect(TextSearch(text)?.matches(other.uppercased()) == other.contains(text), "\(text) in \(other)")
        }
    }
}
