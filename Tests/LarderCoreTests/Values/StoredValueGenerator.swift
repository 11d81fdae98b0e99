import Foundation
import LarderCore
import LarderTestSupport

extension StoredValue {
    /// Returns a random value of any kind, which nests at most `depth` levels deep.
    ///
    /// Edge cases are frequent.
    static func random(depth: Int, using generator: inout SplitMix64) -> StoredValue {
        func text() -> String { texts.randomElement(using: &generator) ?? "" }
        switch Int.random(in: 0..<(depth > 0 ? 12 : 10), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .int(Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator))
        case 3: return .unsigned(generator.next() >> UInt64.random(in: 0...1, using: &generator))
        case 4: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: generator.next())))
        case 5: return .double((edges.randomElement(using: &generator) ?? nil) ?? Double(bitPattern: generator.next()))
        case 6: return .string(text())
        case 7: return .url(text())
        case 8:
            return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: generator.next())))
        case 9: return .data(Data((0..<Int.random(in: 0...40, using: &generator)).map { UInt8($0) }))
        case 10:
            return .array(
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in random(depth: depth - 1, using: &generator) }
            )
        default:
            return .dictionary(
                StoredDictionary(
                    (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                        (text(), random(depth: depth - 1, using: &generator))
                    }
                )
            )
        }
    }

    static let edges: [Double?] = [nil, nil, nil, 0, -0.0, .nan, .infinity, -.infinity, 0.1, 3, 1e300]
    static let texts = [
        "", "a", "\u{E9}", "e\u{301}", "👩‍👩‍👧", "\u{0}", "line\nbreak \"quoted\" \\", "https://a.b/c?d=e#f", "larder",
        String(repeating: "x", count: 200),
    ]

    /// Sample values of all kinds, including edge cases.
    static let samples: [StoredValue] =
        [
            .null, true, false, 0, -1, .int(.max), .int(.min), .unsigned(.max), .unsigned(1 << 63), .float(0.1),
            .float(.nan),
            .float(-0.0), .float(.infinity), 0.1, -0.0, 3.0, 1e300, .double(.nan), .double(-.infinity),
            .double(.leastNonzeroMagnitude), .date(.distantPast),
            .date(Date(timeIntervalSinceReferenceDate: 123_456.789)),
            .date(Date(timeIntervalSinceReferenceDate: -0.0)), .date(Date(timeIntervalSinceReferenceDate: .nan)),
            .data(Data()), .data(Data([0xFF, 0])), [], [[], [.null]], [:], ["\u{E9}": 1, "e\u{301}": 2, "": .null],
        ] + texts.map { .string($0) } + texts.map { .url($0) }
}
