import Foundation
import LarderCore
import LarderTestSupport
import Testing

/// Tests of the binary encoding that Documentation/Formats/stored-value-v1.md specifies.
@Suite struct StoredValueEncodingTests {
    /// The worked examples in the specification, each with a value and its encoding in hexadecimal.
    static let examples: [(StoredValue, String)] = [
        (.null, "00"),
        (false, "01"),
        (true, "02"),
        (0, "03 00"),
        (-1, "03 01"),
        (42, "03 54"),
        (300, "03 D8 04"),
        (.int(.min), "03 FF FF FF FF FF FF FF FF FF 01"),
        (.unsigned(.max), "04 FF FF FF FF FF FF FF FF"),
        (.float(0.1), "05 CD CC CC 3D"),
        (3.14159265359, "06 EA 2E 44 54 FB 21 09 40"),
        (-0.0, "06 00 00 00 00 00 00 00 80"),
        (.double(.nan), "06 00 00 00 00 00 00 F8 7F"),
        ("", "07 00"),
        ("\u{E9}", "07 02 C3 A9"),
        ("e\u{301}", "07 03 65 CC 81"),
        (.url("a:b"), "08 03 61 3A 62"),
        (.date(Date(timeIntervalSinceReferenceDate: 0)), "09 00 00 00 00 00 00 00 00"),
        (.data(Data([0xFF, 0])), "0A 02 FF 00"),
        ([1, [.null]], "0B 02 03 02 0B 01 00"),
        (["b": true, "a": "x"], "0C 02 01 61 07 01 78 01 62 02"),
    ]

    @Test(arguments: examples) func exampleIsEncodedAsDocumented(value: StoredValue, expected: String) throws {
        #expect(try hexadecimal(value.encoded()) == expected)
    }

    @Test(arguments: examples) func exampleIsDecodedAsDocumented(value: StoredValue, bytes: String) throws {
        #expect(try StoredValue(decoding: self.bytes(bytes)) == value)
    }

    @Test func integerDecodingFastPathAgreesWithFullDecoder() throws {
        var generator = SplitMix64(seed: 7)
        var found = 0
        for _ in 0..<20_000 {
            // The bytes are mostly a complete integer, but sometimes truncated, too long or of another kind.
            let number = Int64(truncatingIfNeeded: generator.next()) >> Int64.random(in: 0..<64, using: &generator)
            var bytes = try StoredValue.int(number).encoded()
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.removeLast()
            default: break
            }
            guard let quick = bytes.withUnsafeBytes({ StoredValue.integer(encodedAs: $0) }) else { continue }
            found += 1
            #expect(try StoredValue(decoding: bytes) == .int(quick))
        }
        #expect(found > 10_000)
    }

    @Test func formatDocumentContainsExactlyTestedExamples() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let file = root.appending(path: "Documentation/Formats/stored-value-v1.md")
        let document = try String(contentsOf: file, encoding: .utf8)
        let section = try #require(
            document.split(separator: "## Worked examples").last?.split(separator: "\n## ").first
        )
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        let documented = rows.compactMap { $0.split(separator: "`").dropLast().last.map(String.init) }
        #expect(documented == Self.examples.map(\.1))
    }

    @Test func everyValueRoundTripsThroughEncoding() throws {
        var generator = SplitMix64(seed: 10)
        for _ in 0..<20_000 {
            let value = StoredValue.random(depth: 3, using: &generator)
            let bytes = try value.encoded()
            let decoded = try StoredValue(decoding: bytes)
            #expect(decoded == value)
            #expect(bytes.count == value.encodedSize)
        }
    }

    @Test(arguments: StoredValue.samples) func equalValuesHaveEqualEncodings(value: StoredValue) throws {
        let bytes = try value.encoded()
        for other in StoredValue.samples {
            let otherBytes = try other.encoded()
            #expect((bytes == otherBytes) == (value == other))
        }
    }

    @Test func unsignedIntegerInInt64RangeIsEncodedAsInt() throws {
        #expect(try StoredValue.unsigned(42).encoded() == [0x03, 0x54])
    }

    @Test func everyNaNIsEncodedAsCanonicalNaN() throws {
        let expected = try StoredValue.double(.nan).encoded()
        #expect(try StoredValue.double(Double(nan: 7, signaling: true)).encoded() == expected)
        #expect(try StoredValue.double(-.nan).encoded() == expected)
    }

    @Test func anyByteCollectionCanBeDecoded() throws {
        #expect(try StoredValue(decoding: Data([0x03, 0x54])) == 42)
        #expect(try StoredValue(decoding: Data([0xFF, 0x03, 0x54]).dropFirst()) == 42)
        #expect(try StoredValue(decoding: [0x54, 0x03].reversed()) == 42)
    }

    @Test(arguments: [
        ("", "truncated", 0), ("03", "truncated", 1), ("03 80", "truncated", 2), ("06 00", "truncated", 1),
        ("07 02 61", "truncated", 1), ("0A FF FF FF FF FF FF FF FF 7F", "truncated", 1),
        ("0B FF FF FF FF FF FF FF FF FF 01", "truncated", 1), ("0C 01 00", "truncated", 1),
        ("0B 02 00", "truncated", 1),
        ("00 00", "trailingBytes", 1), ("0D", "unknownTag", 0), ("FF", "unknownTag", 0), ("0B 01 0D", "unknownTag", 2),
        ("03 80 00", "notCanonical", 1), ("03 FF FF FF FF FF FF FF FF FF 02", "notCanonical", 1),
        ("03 FF FF FF FF FF FF FF FF FF 81 00", "notCanonical", 1), ("04 FF FF FF FF FF FF FF 7F", "notCanonical", 0),
        ("05 01 00 C0 7F", "notCanonical", 0), ("05 00 00 C0 FF", "notCanonical", 0),
        ("06 01 00 00 00 00 00 F8 7F", "notCanonical", 0), ("09 00 00 00 00 00 00 F8 FF", "notCanonical", 0),
        ("0C 02 01 62 00 01 61 00", "notCanonical", 5), ("0C 02 01 61 00 01 61 00", "notCanonical", 5),
        ("0C 02 02 61 61 00 01 61 00", "notCanonical", 6), ("07 01 FF", "invalidText", 1),
        ("07 02 C0 80", "invalidText", 1),
        // Array elements followed by enough bytes use a fast path.
        ("0B 02 03 80 00 07 07 61 61 61 61 61 61 61", "notCanonical", 3),
        ("0B 02 03 FF FF FF FF FF FF FF FF FF 02 01", "notCanonical", 3),
        ("0B 02 03 02 07 08 61 61 61 61 61 61 61", "truncated", 5),
        ("08 03 ED A0 80", "invalidText", 1), ("0C 01 01 80 00", "invalidText", 2), ("07 81 00 61", "notCanonical", 1),
    ])
    func decodingInvalidBytesReportsReasonAndOffset(bytes: String, code: String, offset: Int) throws {
        let error = #expect(throws: StoredValueFormatError.self) { try StoredValue(decoding: self.bytes(bytes)) }
        #expect(error?.code.description == code)
        #expect(error?.offset == offset)
    }

    @Test func integersOfEveryLengthAreDecodedAtAnyArrayPosition() throws {
        var integers: [Int64] = [0, -1, .min, .max]
        for bits in 0..<63 { integers += [1 << bits, (1 << bits) - 1, -(1 << bits), -(1 << bits) - 1] }
        for count in 0...integers.count {
            let value = StoredValue.array(integers.suffix(count).map { .int($0) } + ["text", 1.5])
            #expect(try StoredValue(decoding: value.encoded()) == value)
            let other = StoredValue.array([true] + integers.prefix(count).map { .int($0) })
            #expect(try StoredValue(decoding: other.encoded()) == other)
        }
    }

    @Test func encodingAndDecodingAllowAtMostSixtyFourNestingLevels() throws {
        var value: StoredValue = []
        for _ in 1..<64 { value = [value] }
        let bytes = try value.encoded()
        #expect(try StoredValue(decoding: bytes) == value)
        #expect(throws: StoredValueFormatError.self) { try StoredValue.array([value]).encoded() }
        #expect(throws: StoredValueFormatError.self) { try StoredValue.dictionary(["a": value]).encoded() }
        let error = #expect(throws: StoredValueFormatError.self) { try StoredValue(decoding: [0x0B, 0x01] + bytes) }
        #expect(error?.code == .nestedTooDeep)
        #expect(error?.offset == 128)
    }

    @Test func decodingExcessiveNestingThrowsWithoutRecursion() {
        let bytes = [UInt8](repeating: 0, count: 200_000).indices.map { UInt8($0.isMultiple(of: 2) ? 0x0B : 0x01) }
        #expect(throws: StoredValueFormatError.self) { try StoredValue(decoding: bytes) }
    }

    @Test func decodingNeverTrapsAndAcceptsOnlyCanonicalEncodings() throws {
        var generator = SplitMix64(seed: 11)
        var accepted = 0
        var originals: [[UInt8]] = []
        for _ in 0..<500 { originals.append(try StoredValue.random(depth: 3, using: &generator).encoded()) }
        for round in 0..<200_000 {
            var bytes = originals[round % originals.count]
            if round.isMultiple(of: 4) {
                bytes = (0..<Int(generator.next() % 12)).map { _ in UInt8(truncatingIfNeeded: generator.next() % 20) }
            } else {
                let position = Int(generator.next() % UInt64(bytes.count))
                switch generator.next() % 4 {
                case 0: bytes[position] = UInt8(truncatingIfNeeded: generator.next())
                case 1: bytes[position] ^= 1 << (generator.next() % 8)
                case 2: bytes.remove(at: position)
                default: bytes.removeLast(position)
                }
            }
            guard let value = try? StoredValue(decoding: bytes) else { continue }
            accepted += 1
            if try value.encoded() != bytes { Issue.record("\(bytes) was accepted and is not canonical") }
        }
        #expect(accepted > 10_000)
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02X", $0) }.joined(separator: " ")
    }

    private func bytes(_ hexadecimal: String) throws -> [UInt8] {
        try hexadecimal.split(separator: " ").map { try #require(UInt8($0, radix: 16)) }
    }
}
