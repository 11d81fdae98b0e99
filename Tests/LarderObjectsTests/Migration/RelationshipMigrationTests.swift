#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// Tests of migrations that move the links of a relationship to another table or column.
@Suite struct RelationshipMigrationTests {
    enum OneOfA {
        @Entity(dropping: ["b.order"]) final class A {
            var number: Int = 0
            @Relationship(keeping: .newest) var b: B?
        }
        @Entity(dropping: ["a.order"]) final class B {
            var number: Int = 0
            @Relationship(inverse: \A.b, keeping: .newest) var a: A?
        }
    }
    enum OneOfB {
        @Entity(dropping: ["b.order"]) final class A {
            var number: Int = 0
            @Relationship(inverse: \B.a, keeping: .newest) var b: B?
        }
        @Entity(dropping: ["a.order"]) final class B {
            var number: Int = 0
            @Relationship(keeping: .newest) var a: A?
        }
    }
    enum ManyA {
        @Entity(dropping: ["b.order"]) final class A {
            var number: Int = 0
            @Relationship(keeping: .newest) var b: B?
        }
        @Entity(dropping: ["a.order"]) final class B {
            var number: Int = 0
            @Relationship(inverse: \A.b) var a: [A]
        }
    }
    enum ManyAOrdered {
        @Entity(dropping: ["b.order"]) final class A {
            var number: Int = 0
            @Relationship(keeping: .newest) var b: B?
        }
        @Entity final class B {
            var number: Int = 0
            @Relationship(inverse: \A.b, ordered: true) var a: [A]
        }
    }
    enum ManyB {
        @Entity(dropping: ["b.order"]) final class A {
            var number: Int = 0
            @Relationship(inverse: \B.a) var b: [B]
        }
        @Entity(dropping: ["a.order"]) final class B {
            var number: Int = 0
            @Relationship(keeping: .newest) var a: A?
        }
    }
    enum ManyBOrdered {
        @Entity final class A {
            var number: Int = 0
            @Relationship(inverse: \B.a, ordered: true) var b: [B]
        }
        @Entity(dropping: ["a.order"]) final class B {
            var number: Int = 0
            @Relationship(keeping: .newest) var a: A?
        }
    }
    enum ManyMany {
        @Entity(dropping: ["b.order"]) final class A {
            var number: Int = 0
            @Relationship(inverse: \B.a) var b: [B]
        }
        @Entity(dropping: ["a.order"]) final class B {
            var number: Int = 0
            @Relationship var a: [A]
        }
    }
    enum ManyManyOrdered {
        @Entity final class A {
            var number: Int = 0
            @Relationship(inverse: \B.a, ordered: true) var b: [B]
        }
        @Entity final class B {
            var number: Int = 0
            @Relationship(ordered: true) var a: [A]
        }
    }
    enum ManyManyOfB {
        @Entity(dropping: ["b.order"]) final class A {
            var number: Int = 0
            @Relationship var b: [B]
        }
        @Entity(dropping: ["a.order"]) final class B {
            var number: Int = 0
            @Relationship(inverse: \A.b) var a: [A]
        }
    }

    /// The place where a relationship's links are stored.
    enum Storage: Sendable { case columnOfA, columnOfB, joinOfA, joinOfB }

    /// One of the possible ways to declare the relationship between `A` and `B`.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let entities: [any Object.Type]
        let storage: Storage
        let isManyOfA: Bool
        let isManyOfB: Bool

        /// Links that this declaration allows, between the objects 1 to 4 of `A` and 5 to 8 of `B`.
        var links: [[Int64]] {
            switch (isManyOfA, isManyOfB) {
            case (false, false): [[1, 5], [2, 6], [3, 7]]
            case (false, true): [[1, 5], [2, 5], [3, 6]]
            case (true, false): [[1, 5], [1, 6], [2, 7]]
            case (true, true): [[1, 5], [1, 6], [2, 5], [3, 7]]
            }
        }

        func insert(_ link: [Int64]) -> String {
            switch storage {
            case .columnOfA: "UPDATE A SET b = \(link[1]) WHERE objectID = \(link[0])"
            case .columnOfB: "UPDATE B SET a = \(link[0]) WHERE objectID = \(link[1])"
            case .joinOfA: "INSERT INTO \"A.b\" (source, target) VALUES (\(link[0]), \(link[1]))"
            case .joinOfB: "INSERT INTO \"B.a\" (source, target) VALUES (\(link[1]), \(link[0]))"
            }
        }

        var query: String {
            switch storage {
            case .columnOfA: "SELECT objectID, b FROM A WHERE b IS NOT NULL ORDER BY 1, 2"
            case .columnOfB: "SELECT a, objectID FROM B WHERE a IS NOT NULL ORDER BY 1, 2"
            case .joinOfA: "SELECT source, target FROM \"A.b\" ORDER BY 1, 2"
            case .joinOfB: "SELECT target, source FROM \"B.a\" ORDER BY 1, 2"
            }
        }

        /// Returns those of the given links that remain after a migration to this declaration that keeps the newest objects.
        func kept(of links: [[Int64]]) -> [[Int64]] {
            var links = links
            if !isManyOfA { links = links.filter { link in !links.contains { $0[0] == link[0] && $0[1] > link[1] } } }
            if !isManyOfB { links = links.filter { link in !links.contains { $0[1] == link[1] && $0[0] > link[0] } } }
            return links
        }
    }

    static let kinds: [Kind] = [
        Kind(
            testDescription: "OneOfA",
            entities: [OneOfA.A.self, OneOfA.B.self],
            storage: .columnOfA,
            isManyOfA: false,
            isManyOfB: false
        ),
        Kind(
            testDescription: "OneOfB",
            entities: [OneOfB.A.self, OneOfB.B.self],
            storage: .columnOfB,
            isManyOfA: false,
            isManyOfB: false
        ),
        Kind(
            testDescription: "ManyA",
            entities: [ManyA.A.self, ManyA.B.self],
            storage: .columnOfA,
            isManyOfA: false,
            isManyOfB: true
        ),
        Kind(
            testDescription: "ManyAOrdered",
            entities: [ManyAOrdered.A.self, ManyAOrdered.B.self],
            storage: .columnOfA,
            isManyOfA: false,
            isManyOfB: true
        ),
        Kind(
            testDescription: "ManyB",
            entities: [ManyB.A.self, ManyB.B.self],
            storage: .columnOfB,
            isManyOfA: true,
            isManyOfB: false
        ),
        Kind(
            testDescription: "ManyBOrdered",
            entities: [ManyBOrdered.A.self, ManyBOrdered.B.self],
            storage: .columnOfB,
            isManyOfA: true,
            isManyOfB: false
        ),
        Kind(
            testDescription: "ManyMany",
            entities: [ManyMany.A.self, ManyMany.B.self],
            storage: .joinOfA,
            isManyOfA: true,
            isManyOfB: true
        ),
        Kind(
            testDescription: "ManyManyOrdered",
            entities: [ManyManyOrdered.A.self, ManyManyOrdered.B.self],
            storage: .joinOfA,
            isManyOfA: true,
            isManyOfB: true
        ),
        Kind(
            testDescription: "ManyManyOfB",
            entities: [ManyManyOfB.A.self, ManyManyOfB.B.self],
            storage: .joinOfB,
            isManyOfA: true,
            isManyOfB: true
        ),
    ]

    /// Runs `body` with a file that contains the links of a declaration.
    private func withFile(of kind: Kind, _ body: (MigratingFile) async throws -> Void) async throws {
        try await LarderObjectsTests.withFile(of: ObjectModel(kind.entities), fill: { _ in }) { file in
            let queue = try DatabaseQueue(path: file.url.path)
            try await queue.write { database in
                for number in 1...4 {
                    try database.execute(sql: "INSERT INTO A (objectID, number) VALUES (\(number), \(number))")
                    try database.execute(sql: "INSERT INTO B (objectID, number) VALUES (\(number + 4), \(number + 4))")
                }
                try database.execute(sql: "UPDATE larder_sequence SET next = 9")
                for link in kind.links { try database.execute(sql: kind.insert(link)) }
            }
            try queue.close()
            try await body(file)
        }
    }

    private func links(_ kind: Kind, _ url: URL) async throws -> [[Int64]] {
        let queue = try DatabaseQueue(path: url.path)
        let links = try await queue.read {
            try Row.fetchAll($0, sql: kind.query).map { [$0[0] as Int64, $0[1] as Int64] }
        }
        try queue.close()
        return links
    }

    @Test(arguments: kinds, kinds) func linksAreMigratedOrCountedAsLost(_ old: Kind, _ new: Kind) async throws {
        try await withFile(of: old) { file in
            let model = ObjectModel(new.entities, version: 2)
            let expected = new.kept(of: old.links)
            let preview = try SQLiteStorageManager.migrationPreview(of: file.url, model: model)
            #expect(preview.losses.allSatisfy { $0.kind == .link && $0.isAllowed })
            // If both sides become to-one, a link that violates both limits is counted twice.
            let counted = preview.losses.reduce(0) { $0 + ($1.count ?? 0) }
            #expect(
                counted >= old.links.count - expected.count && (counted == 0) == (old.links.count == expected.count)
            )
            #expect(try await file.migrate(to: model) { _ in })
            #expect(try await links(new, file.url) == expected)
        }
    }

    enum Ordered {
        @Entity final class List {
            @Relationship(inverse: \Entry.list, ordered: true) var entries: [Entry]
        }
        @Entity final class Entry {
            var number: Int = 0
            @Relationship var list: List?
        }
        static func fill(_ storage: any WritableStorageType) throws {
            let list = try storage.insertNewObject(ofType: List.self)
            list.entries = try [2, 0, 1].map { number in
                let entry = try storage.insertNewObject(ofType: Entry.self)
                entry.number = number
                return entry
            }
            list.entries = list.entries.sorted { $0.number < $1.number }
        }
    }
    enum Joined {
        @Entity final class List {
            @Relationship(inverse: \Entry.lists, ordered: true) var entries: [Entry]
        }
        @Entity final class Entry {
            var number: Int = 0
            @Relationship(was: "list") var lists: [List]
        }
    }
    enum Unordered {
        @Entity final class List {
            @Relationship(inverse: \Entry.list) var entries: [Entry]
        }
        @Entity final class Entry {
            var number: Int = 0
            @Relationship var list: List?
        }
        enum Allowed {
            @Entity(dropping: ["entries.order"]) final class List {
                @Relationship(inverse: \Entry.list) var entries: [Entry]
            }
            @Entity final class Entry {
                var number: Int = 0
                @Relationship var list: List?
            }
        }
    }

    @Test func linkOrderIsKeptWhenMovedToJoinTable() async throws {
        try await LarderObjectsTests.withFile(
            of: ObjectModel([Ordered.List.self, Ordered.Entry.self]),
            fill: Ordered.fill
        ) { file in
            let model = ObjectModel([Joined.List.self, Joined.Entry.self], version: 2)
            let isEqual = try await file.migrate(to: model) { manager in
                let list = try #require(try manager.viewStorage.firstObject(ofType: Joined.List.self))
                #expect(list.entries.map(\.number) == [0, 1, 2])
            }
            #expect(isEqual)
        }
    }

    @Test func linkOrderIsDiscardedOnlyIfAllowed() async throws {
        try await LarderObjectsTests.withFile(
            of: ObjectModel([Ordered.List.self, Ordered.Entry.self]),
            fill: Ordered.fill
        ) { file in
            let error = #expect(throws: ObjectError.self) {
                try file.open(ObjectModel([Unordered.List.self, Unordered.Entry.self], version: 2))
            }
            #expect(error?.losses.map(\.kind) == [.order])
            #expect(error?.losses.first?.objectIDs.map(\.description) == ["List/1"])
            let model = ObjectModel([Unordered.Allowed.List.self, Unordered.Allowed.Entry.self], version: 2)
            let isEqual = try await file.migrate(to: model) { manager in
                let list = try #require(try manager.viewStorage.firstObject(ofType: Unordered.Allowed.List.self))
                #expect(list.entries.map(\.number) == [2, 0, 1])
            }
            #expect(isEqual)
        }
    }
}
#endif
