#if Objects
import Foundation
@testable import LarderObjects
import LarderTesting
import Testing

/// Tests of the JSON in `larder_save`.
@Suite struct SaveTextTests {
    private static let names = SaveNames([
        .init(name: "Order", columns: ["status", "total", "title", "title.folded"], foldedColumns: [2: 3]),
        .init(name: "Q\"uote\n\u{1F600}", columns: ["a"]),
    ])

    /// Returns random changes, in which each row occurs once.
    private static func changes(_ random: inout SeededGenerator) -> RowChanges {
        var changes = RowChanges(entities: 2)
        var id = Int64.random(in: -5...1_000, using: &random)
        for entity in 0..<2 {
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                id += Int64.random(in: 1...2, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: changes.insert(entity, id)
                case 1: changes.delete(entity, id)
                default:
                    let columns = names.entities[entity].columns.filter { _ in Bool.random(using: &random) }
                    changes.update(entity, id, names.entities[entity].columns(of: columns))
                }
            }
        }
        for table in ["Post.tags", "Tag.friends"] {
            for source in 0..<Int64.random(in: 0...4, using: &random) {
                let link = LinkPair(source: source, target: Int64.random(in: 0...9, using: &random))
                switch Int.random(in: 0...2, using: &random) {
                case 0: changes.insert(link, in: table)
                case 1: changes.move(link, in: table)
                default: changes.delete(link, in: table)
                }
            }
        }
        return changes
    }

    private static func read(_ text: [UInt8]) throws -> SavedChanges {
        try text.withUnsafeBufferPointer { try SaveText.read($0) }
    }

    private static func read(_ text: String) throws -> SavedChanges { try read(Array(text.utf8)) }

    private static func text(_ changes: RowChanges) -> [String] {
        SaveText.write(SavedChanges(changes, names)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns random old values.
    private static func values(_ random: inout SeededGenerator) -> [SavedChanges.Values] {
        var values: [SavedChanges.Values] = []
        for entity in ["Depot", "Order"] {
            for (kind, columns) in [(SavedChanges.Kind.updated, ["a", "b"]), (.updated, ["b"]), (.deleted, ["a"])] {
                let rows = (0..<Int64.random(in: 0...2, using: &random)).map { id in
                    SavedChanges.Values.Row(id: id, values: columns.map { _ in value(&random) })
                }
                if !rows.isEmpty { values.append(.init(entity: entity, kind: kind, columns: columns, rows: rows)) }
            }
        }
        return values
    }

    private static func value(_ random: inout SeededGenerator) -> ColumnValue {
        switch Int.random(in: 0...9, using: &random) {
        case 0: .null
        case 1, 2: .integer(Int64(truncatingIfNeeded: random.next()))
        case 3: .real(Double(Int.random(in: -9...9, using: &random)))
        case 4: .real(Double.random(in: -1e300...1e300, using: &random))
        case 5:
            .real([.infinity, -.infinity, .leastNonzeroMagnitude, 1e16].randomElement(using: &random) ?? 0)
        case 6: .blob(Data((0..<UInt8.random(in: 0...5, using: &random)).map { $0 ^ 0xFF }))
        default:
            .text(
                (0..<Int.random(in: 0...5, using: &random)).map { _ in
                    ["a", "\"", "\\", "\n", "\0", "e\u{301}", "\u{1F600}", "{", "]", ","].randomElement(using: &random)
                        ?? ""
                }.joined()
            )
        }
    }

    @Test func oldValuesReadBack() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<3_000 {
            var changes = SavedChanges(Self.changes(&random), Self.names)
            let values = Self.values(&random)
            changes.values = values
            let texts = SaveText.write(changes)
            #expect(texts.count == 1)
            let read = try texts[0].withUnsafeBufferPointer { try SaveText.readWithValues($0) }
            #expect(Set(read.values) == Set(values))
            // A reader that does not ask for the values, such as an earlier Larder, ignores them.
            changes.values = []
            #expect(try Self.read(texts[0]) == changes)
            // Any other reader of JSON understands the text.
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(texts[0])) }
        }
    }

    @Test func malformedOldValuesThrow() throws {
        for values in [
            "[1]", "[[1]]", "[[1,2,3]]", #"[["a",2]]"#, "[[1,nan]]", "[[1,{}]]", "[[1,1.5.5]]", "{}", "[[1,true]]",
        ] {
            let text = Array(#"{"Order":{"old":{"a":\#(values)}}}"#.utf8)
            #expect(throws: SaveText.Malformed.self, "\(values)") {
                try text.withUnsafeBufferPointer { _ = try SaveText.readWithValues($0) }
            }
        }
    }

    @Test func textReadsBack() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<10_000 {
            let changes = SavedChanges(Self.changes(&random), Self.names)
            let texts = SaveText.write(changes)
            #expect(texts.count == 1)
            let read = try Self.read(texts[0])
            #expect(read == changes)
            #expect(SavedChanges(read.rowChanges(Self.names), Self.names) == changes)
        }
    }

    @Test func consecutiveIDsAreRanges() {
        var changes = RowChanges(entities: 2)
        for id in [3, 1, 2, 7] as [Int64] { changes.insert(0, id) }
        changes.update(0, 17, ColumnSet([0, 1]))
        changes.update(0, 18, ColumnSet([0, 1]))
        // A search column is not named.
        changes.update(0, 19, ColumnSet([2, 3]))
        changes.delete(0, 21)
        changes.insert(LinkPair(source: 3, target: 7), in: "Post.tags")
        #expect(
            Self.text(changes) == [
                #"{"Order":{"inserted":[[1,3],7],"updated":{"status,total":[[17,18]],"title":[19]},"deleted":[21]},"#
                    + #""Post.tags":{"inserted":[[3,7]]}}"#
            ]
        )
    }

    @Test func largeSaveHasSeveralTexts() throws {
        var changes = RowChanges(entities: 2)
        for id in 1...15_000 as ClosedRange<Int64> { changes.insert(0, id) }
        for id in 1...10_000 as ClosedRange<Int64> { changes.delete(1, 3 * id) }
        let saved = SavedChanges(changes, Self.names)
        let texts = SaveText.write(saved)
        #expect(texts.count == 3)
        #expect(texts[0].elementsEqual(#"{"Order":{"inserted":[[1,10000]]}}"#.utf8))
        let parts = try texts.map(Self.read)
        #expect(parts.map(\.count) == [10_000, 10_000, 5_000])
        #expect(SavedChanges.net(of: parts) == saved)
    }

    @Test func otherScopesReadBack() throws {
        for scope in [.reset, .migration(from: 1, to: 12), .anything] as [SavedChanges.Scope] {
            #expect(try Self.read(SaveText.write(SavedChanges(scope: scope))[0]) == SavedChanges(scope: scope))
        }
        #expect(try Self.read(#"{"all": "explosion"}"#) == SavedChanges(scope: .anything))
    }

    @Test func unknownKeysAreIgnored() throws {
        let text = #"""
            { "Order": {"updated": [1, [3, 5]], "old": {"1": {"total": -1.5e3, "status": null}}, "inserted": []},
              "version": 2, "note": "\u0041\ud83d\ude00\/", "Post.tags": {"since": [true, false]} }
            """#
        #expect(
            try Self.read(text)
                == SavedChanges(objects: [
                    .init(entity: "Order", kind: .updated, ids: [1...1, 3...5]),
                    .init(entity: "Order", kind: .inserted, ids: []),
                ])
        )
    }

    @Test func unknownColumnsMeanAllColumns() throws {
        let changes = try Self.read(#"{"Order":{"updated":[1]},"Gone":{"inserted":[2]}}"#).rowChanges(Self.names)
        #expect(changes.entities[0].updated.map(\.row) == [1])
        #expect(changes.columns == [ColumnSet([0, 1, 2, 3])])
        #expect(changes.entities[0].inserted.isEmpty && changes.entities[1].isEmpty)
    }

    @Test func unknownLinksAfterFullPartAreKept() throws {
        let changes = SavedChanges(
            objects: [.init(entity: "Order", kind: .inserted, ids: [1...20_000])],
            links: [.init(joinTable: "Post.tags", kind: .updated, pairs: [])]
        )
        let parts = changes.parts(of: 10_000)
        #expect(parts.map(\.count) == [10_000, 10_000, 0])
        #expect(parts.last?.links == changes.links)
        #expect(parts.flatMap(\.objects).flatMap(\.ids) == [1...10_000, 10_001...20_000])
    }

    @Test func malformedTextThrows() throws {
        for text in [
            "", "{", "[]", "{}x", #"{"Order":{"inserted":[1}}"#, #"{"Order":{"inserted":[[1,2,3]]}}"#,
            #"{"Order":{"inserted":[[2,1]]}}"#, #"{"Order":{"inserted":[[0,10000]]}}"#,
            #"{"Order":{"inserted":[[-9223372036854775808,9223372036854775807]]}}"#,
            #"{"Order":{"inserted":[9223372036854775808]}}"#, #"{"Post.tags":{"deleted":[1]}}"#, #"{"a":"\x"}"#,
            #"{"a":"#, #"{"a":}"#, String(repeating: #"{"a":"#, count: 100),
        ] {
            #expect(throws: SaveText.Malformed.self, "\(text)") { try Self.read(text) }
        }
        var random = SeededGenerator(seed: 2)
        var malformed = 0
        for _ in 0..<10_000 {
            guard var text = SaveText.write(SavedChanges(Self.changes(&random), Self.names)).first else { continue }
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                text[Int.random(in: 0..<text.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            text.removeLast(Int.random(in: 0..<text.count, using: &random))
            do { _ = try Self.read(text) } catch is SaveText.Malformed { malformed += 1 }
        }
        #expect(malformed > 9_000)
    }

    @Test func netChangeComparesEndsOfHistory() throws {
        let parts = try [
            #"{"Order":{"inserted":[1]}}"#, #"{"Order":{"updated":{"total":[1,2]}}}"#, #"{"Order":{"deleted":[3]}}"#,
            #"{"Order":{"inserted":[3]}}"#, #"{"Order":{"inserted":[4]}}"#, #"{"Order":{"deleted":[4]}}"#,
            #"{"Order":{"updated":{"status":[2]}}}"#, #"{"Post.tags":{"deleted":[[1,2],[3,4]]}}"#,
            #"{"Post.tags":{"inserted":[[1,2]]}}"#, #"{"Order":{"deleted":[5]}}"#,
        ].map { try Self.read($0) }
        #expect(
            SavedChanges.net(of: parts)
                == SavedChanges(
                    objects: [
                        .init(entity: "Order", kind: .inserted, ids: [1...1]),
                        .init(entity: "Order", kind: .updated, ids: [3...3]),
                        .init(entity: "Order", kind: .updated, properties: ["status", "total"], ids: [2...2]),
                        .init(entity: "Order", kind: .deleted, ids: [4...5]),
                    ],
                    links: [
                        .init(joinTable: "Post.tags", kind: .updated, pairs: [LinkPair(source: 1, target: 2)]),
                        .init(joinTable: "Post.tags", kind: .deleted, pairs: [LinkPair(source: 3, target: 4)]),
                    ]
                )
        )
    }
}
#endif
