#if Objects
import Foundation
import LarderObjects
import Testing

/// Tests that operators on key paths produce the same results in SQL and in memory.
@Suite struct OperatorTests {
    private func expectAgreement(_ filters: [Filter<Everything>]) async throws {
        try await withStorage(model: ObjectModel([Everything.self])) { manager in
            try await manager.performAndSave { storage in
                for number in -3...3 {
                    let object = try storage.insertNewObject(ofType: Everything.self)
                    object.int = number
                    object.maybeInt = number % 2 == 0 ? nil : number
                    object.double = Double(number) / 2
                    object.maybeDouble = number > 0 ? nil : Double(number)
                    object.bool = number > 1
                    object.maybeLevel = number == 0 ? .high : nil
                }
            }
            let all = try manager.viewStorage.allObjects(ofType: Everything.self)
            for (index, filter) in filters.enumerated() {
                let found = try manager.viewStorage.allObjects(ofType: Everything.self, matching: filter).map(\.int)
                #expect(found == (try all.filter { try filter.evaluate($0) }.map(\.int)), "filter \(index)")
            }
        }
    }

    @Test func likeFilterMatchesEntireString() async throws {
        let cases: [(String, String, Bool)] = [
            ("a*c", "abc", true), ("a*c", "ac", true), ("a*c", "abcd", false), ("?", "é", true),
            ("?", "e\u{301}", true),
            ("*", "", true), ("", "", true), ("", "a", false), ("a?c", "a🇫🇷c", true), ("*a*b*", "xxaxxbxx", true),
            ("a\\*", "a*", true), ("a\\*", "ab", false), ("50%", "50%", true), ("5_%", "50%", false),
            ("\\", "\\", true), ("*ab", "aab", true), ("ABC", "abc", false), ("é*", "e\u{301}a", true),
        ]
        try await withStorage(model: ObjectModel([Everything.self])) { manager in
            for (pattern, text, expected) in cases {
                try await manager.performAndSave { storage in
                    try storage.deleteAllObjects(ofType: Everything.self)
                    try storage.insertNewObject(ofType: Everything.self).string = text
                }
                let filter = (\Everything.string).like(pattern)
                let object = try #require(try manager.viewStorage.firstObject(ofType: Everything.self))
                #expect(try filter.evaluate(object) == expected, "\(pattern) in memory")
                #expect(
                    try manager.viewStorage.countObjects(ofType: Everything.self, matching: filter)
                        == (expected ? 1 : 0),
                    "\(pattern) in SQL"
                )
                let folded = (\Everything.string).like(pattern.uppercased(), caseInsensitive: true)
                let found = try manager.viewStorage.countObjects(ofType: Everything.self, matching: folded) == 1
                #expect(found == (try folded.evaluate(object)), "\(pattern) folded")
                if expected { #expect(found) }
            }
        }
    }

    @Test func comparisonOperatorsAgreeInSQLAndMemory() async throws {
        try await expectAgreement([
            \Everything.int < 1, \Everything.int <= 1, \Everything.int > 1, \Everything.int >= 1,
            (\Everything.double).between(-0.5...1),
        ])
    }

    @Test func comparisonOperatorsOnOptionalsAgreeInSQLAndMemory() async throws {
        try await expectAgreement([
            \Everything.maybeInt < 1, \Everything.maybeInt <= 1, \Everything.maybeInt > 1, \Everything.maybeInt >= 1,
            !(\Everything.maybeInt < 1), !(\Everything.maybeDouble >= -1),
        ])
    }

    @Test func booleanAndRawValueFiltersAgreeInSQLAndMemory() async throws {
        try await expectAgreement([
            \Everything.bool == true, \Everything.bool != true, \Everything.maybeLevel == .high,
            \Everything.maybeLevel != .high, (\Everything.maybeLevel).in([nil, .low]), (\Everything.int).in([]),
        ])
    }

    @Test func arithmeticAgreesInSQLAndMemory() async throws {
        let (half, low, high) = (0.5, -1, 2)
        try await expectAgreement([
            Filter(#Predicate { $0.double / 2 > half }), Filter(#Predicate { -$0.double < half }),
            Filter(#Predicate { $0.double + half == 0 || $0.double - half >= half }),
            Filter(#Predicate { (low...high).contains($0.int) }), Filter(#Predicate { (low..<high).contains($0.int) }),
            Filter(#Predicate { $0.maybeInt.flatMap { $0 + 1 } == 2 }), Filter(#Predicate { $0.maybeInt! > low }),
            Filter(#Predicate { ($0.maybeInt ?? $0.int) <= low }), Filter(#Predicate { $0.bool && !($0.int > high) }),
        ])
    }
}
#endif
