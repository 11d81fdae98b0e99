import Foundation
import LarderCore
import LarderTesting
import Testing

@testable import LarderStores

@Suite struct PropertyListDocumentTests {
    static let entries: StoredDictionary = {
        var generator = StoredValueGenerator(seed: 3)
        let values = StoredValueGenerator.edgeValues + (0..<200).map { _ in generator.value() }
        return StoredDictionary(values.enumerated().map { ("k\($0.offset)", PropertyListForm.file.plain($0.element)) })
    }()

    @Test(arguments: [PropertyListDocument.Encoding.xml, .binary])
    func everyPlainValueRoundTripsThroughPropertyList(encoding: PropertyListDocument.Encoding) throws {
        let bytes = PropertyListDocument.bytes(of: Self.entries, as: encoding)
        #expect(PropertyListDocument.encoding(of: bytes) == encoding)
        #expect(try PropertyListDocument.root(of: bytes) == .dictionary(Self.entries))
    }

    @Test(arguments: [PropertyListDocument.Encoding.xml, .binary])
    func foundationReadsSameValuesFromWrittenPropertyList(encoding: PropertyListDocument.Encoding) throws {
        let bytes = PropertyListDocument.bytes(of: Self.entries, as: encoding)
        let list = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? [String: Any]
        for entry in Self.entries {
            let original = try PropertyListForm.file.value(ofPlain: entry.value, path: [])
            #expect(try PropertyListForm.file.value(of: #require(list?[entry.key]), at: entry.key) == original)
        }
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func foundationPropertyListIsRead(format: PropertyListSerialization.PropertyListFormat) throws {
        for entry in Self.entries {
            let original = try PropertyListForm.file.value(ofPlain: entry.value, path: [])
            let object = PropertyListForm.file.object(for: original)
            let bytes = try PropertyListSerialization.data(fromPropertyList: ["k": object], format: format, options: 0)
            guard case .dictionary(let root) = try PropertyListDocument.root(of: Array(bytes)) else {
                Issue.record("no dictionary")
                continue
            }
            #expect(try PropertyListForm.file.value(ofPlain: #require(root["k"]), path: []) == original)
        }
    }

    /// Returns a property list that is small enough to try all kinds of damage.
    static func small(_ encoding: PropertyListDocument.Encoding) -> [UInt8] {
        PropertyListDocument.bytes(
            of: [
                "a": 1, "b": [1, 2.5, "x", true], "é": .data(Data([1, 2, 3])), "d": ["k": "🙂🙂"], "u": .unsigned(.max),
                "date": .date(Date(timeIntervalSinceReferenceDate: 1_000)),
                "long": .string(String(repeating: "q", count: 40)),
            ],
            as: encoding
        )
    }

    @Test(arguments: [PropertyListDocument.Encoding.xml, .binary])
    func truncatedPropertyListIsReportedWithOffset(encoding: PropertyListDocument.Encoding) {
        let bytes = Self.small(encoding)
        // The final line feed of the XML file is optional.
        for length in 0..<(bytes.count - 1) {
            let damage = #expect(throws: DocumentDamage.self) {
                try PropertyListDocument.root(of: Array(bytes[..<length]))
            }
            #expect((0...length).contains(damage?.offset ?? -1))
        }
    }

    @Test(arguments: [PropertyListDocument.Encoding.xml, .binary])
    func readingCorruptPropertyListNeverCrashes(encoding: PropertyListDocument.Encoding) {
        let original = Self.small(encoding)
        var random = SeededGenerator(seed: 31)
        var (accepted, refused) = (0, 0)
        for _ in 0..<3_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            do {
                _ = try PropertyListDocument.root(of: bytes)
                accepted += 1
            } catch {
                #expect(error is DocumentDamage)
                refused += 1
            }
        }
        #expect(accepted > 100 && refused > 100, "\(accepted) accepted, \(refused) refused")
    }

    @Test func selfReferencingPropertyListIsRejected() {
        var bytes = Array("bplist00".utf8) + [0xA1, 0x00]
        bytes += [8, 0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + Array(repeating: 0, count: 8)
        bytes += [0, 0, 0, 0, 0, 0, 0, 10]
        #expect(throws: DocumentDamage.self) { try PropertyListDocument.root(of: bytes) }
    }

    @Test(
        arguments: [
            ("<plist><dict/></plist>", [:]), ("<dict></dict>", [:]),
            ("\u{FEFF}<array><integer> -5 </integer></array>", [-5]),
            (
                "<!-- a --><?x?><plist version='1.0'><string>a<![CDATA[<b>]]>&#x41;&#66;&lt;<!-- c --></string></plist>",
                "a<b>AB<"
            ),
            ("<integer>0xFF</integer>", 255), ("<true></true>", true), ("<real>-0.0</real>", -0.0),
            ("<real>+infinity</real>", .double(.infinity)),
            ("<real>-Infinity</real>", .double(-.infinity)), ("<string/>", ""),
            ("<data> AQ ID\n</data>", .data(Data([1, 2, 3]))),
            ("<date>-0001-03-01T00:00:00Z</date>", .date(Date(timeIntervalSinceReferenceDate: -63_171_964_800))),
        ] as [(String, StoredValue)]
    )
    func xmlPropertyListOfAnotherProgramIsRead(text: String, value: StoredValue) throws {
        #expect(try PropertyListDocument.root(of: Array(text.utf8)) == value)
    }

    @Test(
        arguments: [
            "", "hello", "<plist/>", "<plist></plist>", "<dict><key>a</key></dict>",
            "<dict><integer>1</integer></dict>",
            "<dict><key>a</key><true/><key>a</key><true/></dict>", "<dict/>x", "<plist><dict/><dict/></plist>",
            "<integer>x</integer>",
            "<integer>99999999999999999999</integer>", "<real>x</real>", "<date>2001-13-01T00:00:00Z</date>",
            "<date></date>", "<data>=</data>",
            "<string>&x;</string>", "<string>&amp</string>", "<string>&#xD800;</string>", "<string>a</strin>",
            "<unknown/>", "<!-- a", "<?x",
            "<!DOCTYPE", "<string><![CDATA[a", "<string>a<!-- b", "< >", "<true", "<string>a</string",
        ])
    func propertyListWithInvalidXMLIsRejected(text: String) {
        #expect(throws: DocumentDamage.self) { try PropertyListDocument.root(of: Array(text.utf8)) }
    }

    @Test func excessivelyNestedPropertyListIsRejected() {
        let text = String(repeating: "<array>", count: 100_000)
        #expect(throws: DocumentDamage.self) { try PropertyListDocument.root(of: Array(text.utf8)) }
    }
}
