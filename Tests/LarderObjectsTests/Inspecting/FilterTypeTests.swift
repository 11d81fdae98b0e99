#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of filters on attributes of all types and on all kinds of relationships.
@Suite struct FilterTypeTests {
    private static let identifier = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"

    private func withObject(_ body: (SQLiteStorageManager) async throws -> Void) async throws {
        try await withStorage(model: GoldenModel.model) { manager in
            try await manager.performAndSave { storage in
                let object = try storage.insertNewObject(ofType: GoldenModel.Everything.self)
                object.number = 7
                object.int8 = -5
                object.uint64 = .max - 1
                object.real = 2.5
                object.single = 0.1
                object.flag = true
                object.text = "Éa"
                object.link = try #require(URL(string: "https://example.com/a"))
                object.bytes = Data([1, 2, 3])
                object.identifier = try #require(UUID(uuidString: Self.identifier))
                object.amount = Decimal(string: "12.50") ?? 0
                object.size = .large
                let album = try storage.insertNewObject(ofType: GoldenModel.Album.self)
                album.number = 1
                album.cover = try storage.insertNewObject(ofType: GoldenModel.Cover.self)
                album.cover?.number = 1
                album.tracks = [try storage.insertNewObject(ofType: GoldenModel.Track.self)]
            }
            try await body(manager)
        }
    }

    private func count(_ table: String, _ filter: String, _ manager: SQLiteStorageManager) throws -> Int {
        var query = InspectionQuery(table: table)
        query.filter = filter
        return try manager.inspectionPage(query).records.count
    }

    @Test func valuesOfAllTypesAreCompared() async throws {
        try await withObject { manager in
            for filter in [
                "int8 == -5", "int8 < 0.5", "uint8 in [0, 1]", "uint64 == 18446744073709551614", "uint64 > 1.5",
                "uint64 != -1", "real == 2.5", "real > -0", "single == 0.1", "flag", "flag == true",
                "!(flag == false)", "flag != false", "text.localizedStandardContains(\"eA\")", "text.hasSuffix('a')",
                "text.count == 2", "text.count < 2.5", "link == \"https://example.com/a\"",
                "link.contains(\"example\")", "link.hasPrefix(\"https\") != false", "bytes == \"AQID\"",
                "!bytes.isEmpty", "bytes.isEmpty == false", "identifier == \"\(Self.identifier.lowercased())\"",
                "moment == 2001-01-01", "moment < 2001-01-01T00:00:00.5Z", "moment >= \"2000-12-31T23:00Z\"",
                "amount == 12.5", "amount > \"12.4\"", "size == .large", "size == \"large\"",
                "size in [.large, .small]", "size.rawValue == 'large'", "point.contains(\"names\")", "point != nil",
                "optionalInt8 == nil", "optionalInt8 != 3", "optionalFlag == nil", "optionalPoint == nil",
                "optionalText in [nil, 'x']", "!(optionalInt8 < 5)", "optionalUInt64 == nil", "id > 0",
                "objectID != 999999", "int16 != int8", "real != single", "text == text", "number >= int8",
            ] {
                let found = try count("Everything", filter, manager)
                #expect(found == 1, "\(filter)")
            }
        }
    }

    @Test func relationshipsOfAllKindsAreFollowed() async throws {
        try await withObject { manager in
            for (table, filter, expected) in [
                ("Album", "cover != nil", 1), ("Album", "cover == nil", 0), ("Album", "cover.number == 1", 1),
                ("Album", "cover.number == number", 1), ("Album", "cover.number < number", 0),
                ("Album", "tracks.isEmpty", 0), ("Album", "tracks.isEmpty == false", 1),
                ("Album", "tracks.count == 1", 1), ("Album", "tracks.labels.isEmpty", 1),
                ("Album", "tracks.album.cover.number in [1, nil]", 1), ("Album", "tracks.labels.number == nil", 0),
                ("Track", "album.cover.number == 1", 1), ("Track", "album == nil", 0),
                ("Track", "album.number == number", 0), ("Track", "labels.count > 0", 0), ("Cover", "album != nil", 1),
                ("Cover", "album.tracks.number == 0", 1), ("Label", "tracks.album.number == 1", 0),
            ] {
                let found = try count(table, filter, manager)
                #expect(found == expected, "\(filter)")
            }
        }
    }

    private static let mistakes: [(String, String)] = [
        ("int8 == \"x\"", "Type a number, such as 12"), ("uint64 == \"x\"", "whole number up to"),
        ("real == \"x\"", "such as 2.5"), ("amount == \"1x\"", "such as 2.5"), ("flag == 1", "Type true or false"),
        ("flag < true", "no order"), ("moment == \"soon\"", "Type a date"), ("text == 1", "quotation marks"),
        ("link == 1", "is a URL"), ("identifier == \"x\"", "is a UUID"), ("bytes == \"?\"", "Type base64"),
        ("bytes > \"AQID\"", "no order"), ("point == 1", "stored as JSON"), ("size == .huge", "has no value huge"),
        ("size == .lrge", "Type \"large\""), ("text", "is not a Bool"), ("optionalReal", "!= nil"),
        ("text.count", "is a number"), ("text.count == \"x\"", "is a number"), ("bytes.isEmpty == 1", "is a Bool"),
        ("bytes.isEmpty == nil", "is a Bool"), ("bytes.isEmpty < true", "no order"),
        ("id", "is an object"), ("id == \"x\"", "is a key"), ("id.x == 1", "A key has no property x"),
        ("text.foo == 1", "no property foo"), ("text.contains(1)", "takes one string"),
        ("text.contains()", "takes one string"), ("contains(\"x\")", "searches a property"),
        ("int8.contains(\"x\")", "is not a string"), ("text.contains(\"x\") == 1", "is a condition"),
        ("text.contains(\"x\") in [1]", "is a condition"), ("text.contains(\"x\") < true", "no order"),
        ("text.contains(\"x\") == text", "is a condition"), ("text.hasprefix(\"a\")", "Type hasPrefix"),
        ("text.zzzzzzzzzz(\"a\")", "contains, hasPrefix or hasSuffix"), ("point == point", "different types"),
        ("real == text", "different types"), ("not", "Type !"), ("xyzzy == 1", "Type one of"),
        ("\"a\"", "A value alone"), ("1 in [1]", "Type a property before in"), ("number in [1,", "not complete"),
        ("number in [", "not complete"), ("number in [1", "not complete"), ("number in [x]", "A value is missing"),
        ("number == ]", "is missing"), ("number == [1]", "A list follows"), ("number == ()", "Parentheses enclose"),
        ("()", "A condition is missing"), ("number.", "A property is missing after"), (". == 1", "A name is missing"),
        ("number == 1 number == 2", "before number"), ("number == 1 `x`", "before x"),
        ("number == 1 or number == 2", "Type ||"), ("number == 1 == 2", "two sides"),
        ("number == 1 \"x\"", "Type && or ||"), ("number == 1 [", "A condition ends before ["),
        ("number == 1 &&", "not complete"), ("number == `", "backticks"), ("number & 1", "two ampersands"),
        ("number | 1", "two bars"), ("{ number }", "no closures"), ("\\.number == 1", "begins with a name"),
        ("number == \u{7}", "U+0007"), ("number ; 1", "can't contain \";\""), ("text == \"\\u{110000}\"", "escape"),
        ("moment < 2001-02-29", "Type a date"), ("moment < \"2001-01-01T24:00Z\"", "Type a date"),
        ("moment < \"2001-01-01T10:00:00.Z\"", "Type a date"), ("moment < \"2001-01-01T10:00+25:00\"", "Type a date"),
    ]

    @Test func mistakeIsExplained() async throws {
        try await withObject { manager in
            for (filter, message) in Self.mistakes {
                let error = #expect(throws: InspectionQueryError.self, "\(filter)") {
                    try count("Everything", filter, manager)
                }
                #expect(error?.message.contains(message) == true, "\(filter): \(error?.message ?? "")")
                #expect(error?.place != nil, "\(filter)")
            }
        }
    }

    @Test func mistakeInRelationshipIsExplained() async throws {
        try await withObject { manager in
            for (table, filter, message) in [
                ("Album", "cover", "is an object"), ("Album", "tracks", "several objects"),
                ("Album", "tracks.count", "is a number"), ("Album", "tracks.isEmpty == 1", "is a Bool"),
                ("Track", "album < 1", "no order"), ("Track", "album == \"Label/1\"", "Type its key"),
                ("Album", "tracks.number == number", "several values"),
                ("Track", "album.nmber == 1", "Type number"), ("Album", "tracks.count.x == 1", "no property"),
            ] {
                let error = #expect(throws: InspectionQueryError.self, "\(filter)") {
                    try count(table, filter, manager)
                }
                #expect(error?.message.contains(message) == true, "\(filter): \(error?.message ?? "")")
            }
        }
    }
}
#endif
