import Foundation
import LarderCore
import LarderTesting
import Testing

@testable import LarderStores

@Suite struct SharedPreferencesReaderTests {
    private func read(_ text: String) -> SharedPreferencesReader.Result {
        SharedPreferencesReader.read(Array(text.utf8))
    }

    /// Returns the only value in a document, which must be valid.
    private func value(_ element: String) -> StoredValue? {
        let result = read("<map>\(element)</map>")
        #expect(result.damage == nil && result.problems.isEmpty, "\(result.problems)")
        #expect(result.entries.count <= 1)
        return result.entries.first?.value
    }

    @Test(arguments: HostileFiles.damaged) func invalidSharedPreferencesFileIsRejected(text: String) {
        expectDamage(text)
    }

    /// Tests one file directly instead of a parameter, because the complete argument would be printed.
    @Test func excessivelyNestedSharedPreferencesFileIsRejected() {
        expectDamage("<map>" + String(repeating: "<list name=\"a\">", count: 100_000))
    }

    private func expectDamage(_ text: String) {
        let result = read(text)
        #expect(result.damage != nil)
        #expect(result.damage.map { $0.offset <= text.utf8.count && !$0.reason.isEmpty } == true)
    }

    @Test(arguments: HostileFiles.badEntries)
    func unreadableEntryIsReportedAndOtherEntriesAreRead(entry: String) {
        let start = "<map>\n<int name=\"before\" value=\"1\" />\n"
        let result = read(start + entry + "\n<int name=\"after\" value=\"2\" /></map>")
        #expect(result.damage == nil)
        #expect(result.entries.map(\.key) == ["before", "after"])
        #expect(result.problems.count == 1, "\(result.problems)")
        #expect(result.problems.first?.offset.map { $0 >= start.utf8.count } == true)
    }

    @Test func invalidUTF8IsReportedForItsEntry() {
        let bytes =
            Array("<map><string name=\"a\">x".utf8) + [0xFF, 0xC0]
            + Array("</string><int name=\"b\" value=\"1\" /></map>".utf8)
        let result = SharedPreferencesReader.read(bytes)
        #expect(result.damage == nil && result.problems.map(\.key) == [nil])
        #expect(result.entries.map(\.key) == ["b"])
    }

    @Test(
        arguments: [
            ("<string name=\"a\"></string>", ""), ("<string name=\"a\" />", ""), ("<string name='a'>b</string >", "b"),
            ("<string name=\"a\">&#0;&#8;\u{1}\0</string>", "\0\u{8}\u{1}\0"),
            ("<string name=\"a\">&#x1F642;&#227;</string>", "🙂ã"),
            ("<string name=\"a\">&#55357;&#56833;</string>", "😁"),
            ("<string name=\"a\">&#xD83D;&#xDE01;!</string>", "😁!"),
            ("<string name=\"a\">&lt;&gt;&amp;&quot;&apos;</string>", "<>&\"'"),
            ("<string name=\"a\">a\r\nb\rc\nd</string>", "a\nb\nc\nd"),
            ("<string name=\"a\">a&#13;&#10;b</string>", "a\r\nb"),
            ("<string name=\"a\"><![CDATA[<&\r\n>]]>x</string>", "<&\n>x"),
            ("<string name=\"a\"> a <!-- b --> c <?d?></string>", " a  c "),
            ("<string other=\"1\" name=\"a\">]]></string>", "]]>"),
        ] as [(String, StoredValue)]
    )
    func stringsAreReadAsOnAndroid(element: String, expected: StoredValue) {
        #expect(value(element) == expected)
    }

    @Test func literalNewlineInNameIsReadAsSpace() {
        let keys = read("<map><int name=\"a\r\nb\nc\rd\te\" value=\"1\" /><int name=\"a&#10;b\" value=\"1\" /></map>")
            .entries.map(\.key)
        #expect(keys == ["a b c d\te", "a\nb"])
    }

    @Test(
        arguments: [
            ("<int name=\"a\" value=\"+5\" />", 5), ("<int value=\"-2147483648\" name=\"a\"></int>", -2_147_483_648),
            ("<long name=\"a\" value=\"-9223372036854775808\" />", .int(.min)),
            ("<boolean name=\"a\" value=\"TRUE\" />", true),
            ("<boolean name=\"a\" value=\"False\" />", false), ("<float name=\"a\" value=\"1.0E10\" />", .float(1e10)),
            ("<float name=\"a\" value=\"NaN\" />", .float(.nan)),
            ("<double name=\"a\" value=\"-Infinity\" />", .double(-.infinity)),
            ("<set name=\"a\"><string>b</string>\n<string>a</string><string>b</string></set>", ["a", "b"]),
            ("<set name=\"a\" />", []),
            ("<list name=\"a\"><int value=\"1\" /><null /><string>x</string><set /></list>", [1, .null, "x", []]),
            (
                "<map name=\"a\"><boolean name=\"b\" value=\"true\" /><null name=\"c\" /></map>",
                ["b": true, "c": .null]
            ),
            ("<byte-array name=\"a\" num=\"3\">0aFF 10</byte-array>", .data(Data([0x0A, 0xFF, 0x10]))),
            ("<int-array name=\"a\" num=\"2\"><item value=\"1\" /><item value=\"2\" /></int-array>", [1, 2]),
            ("<string-array name=\"a\"><item value=\"b\" /></string-array>", ["b"]),
            ("<double-array name=\"a\" num=\"1\"><item value=\"1\" /></double-array>", [.double(1)]),
            ("<boolean-array name=\"a\"><item value=\"true\" /></boolean-array>", [true]),
            ("<long-array name=\"a\" num=\"0\" />", []),
        ] as [(String, StoredValue)]
    )
    func everyTypeOfAndroidPreferenceIsRead(element: String, expected: StoredValue) {
        #expect(value(element) == expected)
    }

    @Test func nullEntryIsSkippedAndLastDuplicateEntryWins() throws {
        #expect(value("<null name=\"a\" />") == nil)
        let bytes = Array("\u{FEFF}<map><int name=\"a\" value=\"1\" /><string name=\"a\">x</string></map>".utf8)
        #expect(try SharedPreferencesFileFormat().decode(bytes).table["a"] == "x")
    }

    @Test func truncatedFileIsRejected() throws {
        var content = SharedPreferencesFileFormat.Content()
        for (index, text) in StoredValueGenerator.edgeTexts.enumerated() {
            content.set(.string(text), for: StoreKey("key \(index) \(text)"))
        }
        content.set(["a", "b"], for: "set")
        content.set(7, isLong: true, for: "long")
        content.set(.float(0.5), for: "float")
        let bytes = try SharedPreferencesFileFormat().encode(content)
        let whole = SharedPreferencesReader.read(bytes)
        #expect(whole.damage == nil && whole.problems.isEmpty && whole.entries.count == content.table.count)
        // The final line feed is optional.
        for length in 0..<(bytes.count - 1) {
            let cut = SharedPreferencesReader.read(Array(bytes.prefix(length)))
            #expect(cut.damage != nil, "\(length) bytes")
            #expect(cut.entries.elementsEqual(whole.entries.prefix(cut.entries.count)), "\(length) bytes")
        }
    }

    @Test func readingCorruptSharedPreferencesNeverCrashes() throws {
        var generator = SeededGenerator(seed: 31)
        var (whole, damaged, entries) = (0, 0, 0)
        let bytes = Array(
            "<map>\n<string name=\"k&#10;\">a&amp;b</string>\n<set name=\"s\"><string>x</string></set>\n<int name=\"i\" value=\"1\" /></map>"
                .utf8
        )
        let material = Array("<>/&#;\"'= \n\r\0]!-?map".utf8) + [0xFF, 0xC3]
        for _ in 0..<5_000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<changed.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: changed[index] = material.randomElement(using: &generator) ?? 0
                case 1: changed.remove(at: index)
                default: changed.insert(material.randomElement(using: &generator) ?? 0, at: index)
                }
            }
            let result = SharedPreferencesReader.read(changed)
            #expect(result.entries.count <= 10)
            if result.damage == nil { whole += 1 } else { damaged += 1 }
            entries += result.entries.count
        }
        #expect(whole > 500 && damaged > 500, "\(whole) whole, \(damaged) damaged")
        #expect(entries > 5_000, "\(entries) entries")
    }

    @Test func sharedPreferencesEntriesRoundTrip() throws {
        var generator = StoredValueGenerator(seed: 7)
        let format = SharedPreferencesFileFormat()
        var count = 0
        for _ in 0..<40 {
            var batch = StoreBatch()
            for _ in 0..<20 {
                let key = StoreKey(generator.key())
                let value = generator.value(depth: 1)
                if (try? SharedPreferencesForm.check(value, under: key)) != nil {
                    batch.set(value, for: key)
                    count += 1
                }
            }
            var content = format.empty
            _ = content.apply(batch)
            let bytes = try format.encode(content)
            let again = try format.decode(bytes)
            #expect(again.table.allEntries == content.table.allEntries)
            #expect(again.problems.isEmpty)
            #expect(try format.encode(again) == bytes)
        }
        #expect(count > 200)
    }
}
