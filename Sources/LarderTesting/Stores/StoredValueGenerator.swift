import Foundation
public import LarderCore

/// Keys and values for tests: first every edge known to have broken a store, then random ones from a seed.
///
/// The same seed gives the same values on every platform.
public struct StoredValueGenerator: Sendable {
    private var generator: SeededGenerator

    /// A generator.
    ///
    /// - Parameter seed: Any number; print it with a failure to run it again.
    public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// Texts that encoders, normalisers and line-based files have damaged before.
    public static let edgeTexts: [String] = [
        "", " ", "a", " \n\t ", "\r", "\r\n", "a\u{0}b", "\u{0}", "\u{1}\u{8}\u{B}\u{C}\u{1F}\u{7F}", "e\u{301}",
        "\u{E9}",
        "\u{212B}", "\u{1112}\u{1161}\u{11AB}", "🙂", " 🙂", "👩‍👩‍👧‍👦", "<&>\"']]>", "<![CDATA[x]]>", "&amp;&#65;", "--><!--",
        "%00%", "%", "\u{FEFF}a",
        "a\u{FEFF}", "\u{2028}\u{2029}\u{85}", "\u{FFFD}\u{FFFE}\u{FFFF}", "\u{10FFFF}", "larder:type", "larder:value",
        "larder:key:", "larder:key:a%00", "$type", "__type", "null", "true", "NaN", "42", "a.b.c", "/../..",
        "a=b;c\\\"",
    ]

    /// Every kind with the numbers, moments and shapes at its limits; never `.null` itself.
    public static let edgeValues: [StoredValue] = {
        let tag: StoredValue = ["larder:type": "float", "larder:value": "1"]
        let numbers: [StoredValue] =
            [0, 1, -1, 42, .max, .min, .max - 1, .min + 1, 1 << 53, (1 << 53) + 1, .init(Int32.max)].map { .int($0) }
            + [.unsigned(UInt64(Int64.max) + 1), .unsigned(.max), .unsigned(7), true, false]
        let doubles = [
            0, -0.0, 2, 0.1, 9.9, 3.14159265359, .nan, .infinity, -.infinity, .leastNonzeroMagnitude,
            .leastNormalMagnitude,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e300, 9_007_199_254_740_992, 1e15, 123_456_789.125,
        ].map { StoredValue.double($0) }
        let floats = [
            Float(0), -0.0, 1.5, 0.1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
            16_777_216,
        ].map { StoredValue.float($0) }
        let dates =
            [
                0, -0.0, 1, 1.5, -0.25, 0.1, 790_000_000.123456, -63_113_904_000, -12_622_780_801, -12_622_780_800,
                63_113_904_000, 63_113_990_400, 1e12, -1e12, .leastNonzeroMagnitude, .nan, .infinity,
            ].map { StoredValue.date(Date(timeIntervalSinceReferenceDate: $0)) } + [
                .date(.distantPast), .date(.distantFuture),
            ]
        let texts = edgeTexts.flatMap { [StoredValue.string($0), .url($0)] } + [.url("https://a.b/c%20d?e=f#g")]
        let data = [Data(), Data([0]), Data(0...255), Data(repeating: 0xFF, count: 1_000)].map { StoredValue.data($0) }
        let containers: [StoredValue] = [
            [], [:], [.null], [[]], [[:]], ["": .null], [1, "a", 2.5, .null, true, [1], ["k": 1]], tag,
            ["larder:type": tag],
            ["larder:type": "null"], ["larder:type": 1], ["larder:value": 1],
            ["larder:key:x": 1, "larder:key:larder:key:x": 2],
            ["e\u{301}": 1, "\u{E9}": 2], [.float(0.1), .url("a:b"), .date(Date(timeIntervalSinceReferenceDate: 0.5))],
            .dictionary(StoredDictionary(edgeTexts.map { ($0, .string($0)) })), .array(edgeTexts.map { .string($0) }),
        ]
        return numbers + doubles + floats + dates + texts + data + containers
    }()

    /// A random key of 0 to 40 characters, which a store must take.
    ///
    /// - Returns: A key outside the reserved space.
    public mutating func key() -> String {
        let key = text(limit: 40)
        return key.utf8.starts(with: "\u{0}larder".utf8) ? "k" + key : key
    }

    /// A random value, not `.null`.
    ///
    /// - Parameter depth: How many containers may lie inside one another.
    /// - Returns: A value of any kind.
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
            // Surrogates are no scalars.
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
