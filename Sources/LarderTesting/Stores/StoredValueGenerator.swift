import Foundation
public import LarderCore

/// A generator of random keys and values for tests, with known edge cases.
///
/// The same seed produces the same values on every platform.
public struct StoredValueGenerator: Sendable {
    private var generator: SeededGenerator

    /// Creates a generator with a seed.
    ///
    /// - Parameter seed: Any number. Print the seed with each failure, so that the failure can be reproduced.
    public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// Strings that encoders, Unicode normalization and line-based files often corrupt.
    public static let edgeTexts: [String] = [
        "", " ", "a", " \n\t ", "\r", "\r\n", "a\u{0}b", "\u{0}", "\u{1}\u{8}\u{B}\u{C}\u{1F}\u{7F}", "e\u{301}",
        "\u{E9}",
        "\u{212B}", "\u{1112}\u{1161}\u{11AB}", "🙂", " 🙂", "👩‍👩‍👧‍👦", "<&>\"']]>", "<![CDATA[x]]>", "&amp;&#65;", "--><!--",
        "%00%", "%", "\u{FEFF}a",
        "a\u{FEFF}", "\u{2028}\u{2029}\u{85}", "\u{FFFD}\u{FFFE}\u{FFFF}", "\u{10FFFF}", "larder:type", "larder:value",
        "larder:key:", "larder:key:a%00", "$type", "__type", "null", "true", "NaN", "42", "a.b.c", "/../..",
        "a=b;c\\\"",
    ]

    /// Edge-case values of all types, in which `.null` occurs only inside arrays and dictionaries.
    public static let edgeValues: [StoredValue] = {
        let tag: StoredValue = ["larder:type": "float", "larder:value": "1"]
        let integers: [Int64] = [
            0, 1, -1, 42, .max, .min, .max - 1, .min + 1, 9_007_199_254_740_992, 9_007_199_254_740_993, 2_147_483_647,
        ]
        let others: [StoredValue] = [
            .unsigned(9_223_372_036_854_775_808), .unsigned(.max), .unsigned(7), true, false,
            .date(.distantPast), .date(.distantFuture), .url("https://a.b/c%20d?e=f#g"),
        ]
        let doubles: [Double] = [
            0, -0.0, 2, 0.1, 9.9, 3.14159265359, .nan, .infinity, -.infinity, .leastNonzeroMagnitude,
            .leastNormalMagnitude,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e300, 9_007_199_254_740_992, 1e15, 123_456_789.125,
        ]
        let floats: [Float] = [
            0, -0.0, 1.5, 0.1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
            16_777_216,
        ]
        let intervals: [TimeInterval] = [
            0, -0.0, 1, 1.5, -0.25, 0.1, 790_000_000.123456, -63_113_904_000, -12_622_780_801, -12_622_780_800,
            63_113_904_000, 63_113_990_400, 1e12, -1e12, .leastNonzeroMagnitude, .nan, .infinity,
        ]
        let data: [Data] = [Data(), Data([0]), Data(0...255), Data(repeating: 0xFF, count: 1_000)]
        let containers: [StoredValue] = [
            [], [:], [.null], [[]], [[:]], ["": .null], [1, "a", 2.5, .null, true, [1], ["k": 1]], tag,
            ["larder:type": tag],
            ["larder:type": "null"], ["larder:type": 1], ["larder:value": 1],
            ["larder:key:x": 1, "larder:key:larder:key:x": 2],
            ["e\u{301}": 1, "\u{E9}": 2], [.float(0.1), .url("a:b"), .date(Date(timeIntervalSinceReferenceDate: 0.5))],
            .dictionary(StoredDictionary(edgeTexts.map { ($0, .string($0)) })), .array(edgeTexts.map { .string($0) }),
        ]
        // The values are appended one by one, because the compiler takes seconds to type-check a long sum.
        var values: [StoredValue] = integers.map { .int($0) }
        values += others
        values += doubles.map { .double($0) }
        values += floats.map { .float($0) }
        values += intervals.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        values += edgeTexts.flatMap { [StoredValue.string($0), .url($0)] }
        values += data.map { .data($0) }
        values += containers
        return values
    }()

    /// Returns a random key of 0 to 40 characters that a store must accept.
    ///
    /// - Returns: A key that is not reserved.
    public mutating func key() -> String {
        let key = text(limit: 40)
        return key.utf8.starts(with: "\u{0}larder".utf8) ? "k" + key : key
    }

    /// Returns a random value, never `.null`.
    ///
    /// - Parameter depth: The maximum depth of nested containers.
    /// - Returns: A value of any type.
    public mutating func value(depth: Int = 4) -> StoredValue {
        switch Int.random(in: 0..<(depth > 0 ? 12 : 9), using: &generator) {
        case 0: .bool(.random(using: &generator))
        case 1: .int(Int64(truncatingIfNeeded: generator.next()) >> Int.random(in: 0..<64, using: &generator))
        case 2: .unsigned(generator.next() | 1 << 63)
        case 3: .float(Float(bitPattern: UInt32(truncatingIfNeeded: generator.next())))
        case 4: .double(Double(bitPattern: generator.next()))
        case 5: .string(text(limit: 60))
        case 6: .url("https://example.org/" + text(limit: 10))
        case 7: .date(Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &generator)))
        case 8:
            .data(
                Data(
                    (0..<Int.random(in: 0..<50, using: &generator)).map { _ in
                        UInt8(truncatingIfNeeded: generator.next())
                    }
                )
            )
        case 9, 10: .array(elements(depth: depth))
        default: .dictionary(StoredDictionary(elements(depth: depth).map { (text(limit: 12), $0) }))
        }
    }

    private mutating func elements(depth: Int) -> [StoredValue] {
        (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
            Int.random(in: 0..<8, using: &generator) == 0 ? .null : value(depth: depth - 1)
        }
    }

    private mutating func text(limit: Int) -> String {
        if Int.random(in: 0..<8, using: &generator) == 0, let edge = Self.edgeTexts.randomElement(using: &generator) {
            return edge
        }
        var text = ""
        for _ in 0..<Int.random(in: 0...limit, using: &generator) {
            let range: ClosedRange<UInt32> =
                switch Int.random(in: 0..<8, using: &generator) {
                case 0: 0...0x1F
                case 1: 0x80...0x36F
                case 2: 0x1F300...0x1F6FF
                case 3: 0xD000...0xFFFF
                default: 0x20...0x7E
                }
            // Surrogate code points are skipped, because they are not Unicode scalars.
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
