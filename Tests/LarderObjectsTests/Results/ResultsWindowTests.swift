#if Objects
import Foundation
import GRDB
import LarderTesting
import Testing

@testable import LarderObjects

/// Tests that a list with a limit and an offset shows the right part of all matching objects after each save.
@Suite struct ResultsWindowTests {
    @Entity(indexes: [["rank", "name"]]) final class Player {
        var rank: Int?
        var name: String = ""
    }

    private static let model = ObjectModel([Player.self])

    /// A list, and what a test does to its objects.
    private struct Game {
        let manager: SQLiteStorageManager
        let upkeep: ResultsUpkeep
        var list: ResultsWindow
        let request: ObjectRequest<Player>
        /// The steps of the last upkeep.
        private(set) var steps = 0

        init(_ manager: SQLiteStorageManager, _ request: ObjectRequest<Player>) throws {
            self.manager = manager
            self.request = request
            upkeep = ResultsUpkeep(
                plan: try ResultsPlan(request, sectionBy: nil, in: manager.viewObjects),
                queries: manager.queries
            )
            list = try manager.reading { [upkeep] in try upkeep.list(StatementCache($0)) }
        }

        /// Runs SQL, updates the list for the given rows, and compares the list with a fetch.
        @discardableResult
        mutating func change(
            _ sql: String,
            inserted: [Int64] = [],
            updated: [Int64] = [],
            deleted: [Int64] = []
        ) async throws -> (difference: IndexDifference, queries: Int) {
            try await manager.write { try $0.execute(sql: sql) }
            var changes = RowChanges(entities: 1)
            for row in inserted { changes.insert(0, row) }
            for row in updated { changes.update(0, row, ColumnSet([0, 1])) }
            for row in deleted { changes.delete(0, row) }
            return try update(changes)
        }

        private mutating func update(_ changes: RowChanges) throws -> (difference: IndexDifference, queries: Int) {
            let before = manager.queries.total
            var list = list
            let (difference, steps) = try manager.reading { database in
                try LarderObjectsTests.steps(on: database) {
                    try upkeep.update(&list, changes, StatementCache(database))
                }
            }
            (self.list, self.steps) = (list, steps)
            let queries = manager.queries.total - before
            #expect(ids == (try manager.viewStorage.objects(request).map(\.objectID.rowID)))
            return (difference, queries)
        }

        var ids: [Int64] { list.index.sections.flatMap(\.keys).map(\.id) }
    }

    /// Runs `body` with players whose ids and ranks are 1 to `count`.
    private func withPlayers(_ count: Int, _ body: (SQLiteStorageManager) async throws -> Void) async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.write { database in
                for rank in 1...count {
                    try database.execute(
                        sql: "INSERT INTO Player (objectID, rank, name) VALUES (?1, ?1, 'p')",
                        arguments: [rank]
                    )
                }
            }
            try await body(manager)
        }
    }

    private static let byRank = [SortDescriptor(\Player.rank)]

    @Test func nextObjectFillsGap() async throws {
        try await withPlayers(10) { manager in
            var game = try Game(manager, ObjectRequest(sortedBy: Self.byRank, limit: 3))
            let change = try await game.change("DELETE FROM Player WHERE objectID = 2", deleted: [2])
            #expect(game.ids == [1, 3, 4])
            #expect(change.difference.deletions == [ResultsPath(section: 0, item: 1)])
            #expect(change.difference.insertions.map(\.id) == [4])
            #expect(change.difference.updates.isEmpty)
        }
    }

    @Test func insertedObjectPushesLastOneOut() async throws {
        try await withPlayers(10) { manager in
            var game = try Game(manager, ObjectRequest(sortedBy: Self.byRank, limit: 3))
            let change = try await game.change(
                "INSERT INTO Player (objectID, rank, name) VALUES (11, 0, 'n')",
                inserted: [11]
            )
            #expect(game.ids == [11, 1, 2])
            #expect(change.difference.deletions == [ResultsPath(section: 0, item: 2)])
            #expect(change.difference.moves.isEmpty)
        }
    }

    @Test func offsetShiftsWindow() async throws {
        try await withPlayers(20) { manager in
            var game = try Game(manager, ObjectRequest(sortedBy: Self.byRank, limit: 5, offset: 4))
            #expect(game.ids == [5, 6, 7, 8, 9])
            let change = try await game.change("DELETE FROM Player WHERE objectID IN (1, 7)", deleted: [1, 7])
            #expect(game.ids == [6, 8, 9, 10, 11])
            #expect(change.difference.deletions.map(\.item) == [2, 0])
            try await game.change("UPDATE Player SET rank = 0 WHERE objectID = 20", updated: [20])
            #expect(game.ids == [5, 6, 8, 9, 10])
            try await game.change("UPDATE Player SET rank = 100 WHERE objectID = 2", updated: [2])
            #expect(game.ids == [6, 8, 9, 10, 11])
        }
    }

    @Test func offsetWithoutLimitShowsRest() async throws {
        try await withPlayers(6) { manager in
            var game = try Game(manager, ObjectRequest(sortedBy: Self.byRank, offset: 4))
            #expect(game.ids == [5, 6])
            try await game.change("DELETE FROM Player WHERE objectID = 1", deleted: [1])
            #expect(game.ids == [6])
            try await game.change("DELETE FROM Player WHERE objectID = 2", deleted: [2])
            #expect(game.ids == [])
            try await game.change("INSERT INTO Player (objectID, rank, name) VALUES (7, NULL, '')", inserted: [7])
            #expect(game.ids == [6])
        }
    }

    @Test func changeOfVisibleObjectIsUpdate() async throws {
        try await withPlayers(10) { manager in
            var game = try Game(manager, ObjectRequest(sortedBy: Self.byRank, limit: 3))
            let change = try await game.change(
                "UPDATE Player SET name = 'x' WHERE objectID IN (2, 5)",
                updated: [2, 5]
            )
            #expect(change.difference.updates.map(\.id) == [2])
            #expect(change.difference.deletions.isEmpty && change.difference.insertions.isEmpty)
        }
    }

    @Test func reserveAvoidsQueries() async throws {
        try await withPlayers(300) { manager in
            var game = try Game(manager, ObjectRequest(sortedBy: Self.byRank, limit: 10))
            var queries: [Int] = []
            for id in 1...130 as ClosedRange<Int64> {
                queries.append(
                    try await game.change("DELETE FROM Player WHERE objectID = \(id)", deleted: [id]).queries
                )
            }
            // Each upkeep asks about the deleted object. Only those that empty the reserve read more.
            #expect(queries.filter { $0 > 1 }.count == 2)
        }
    }

    @Test func objectsBeyondReserveAreForgottenAndReadAgain() async throws {
        try await withPlayers(5) { manager in
            var game = try Game(manager, ObjectRequest(sortedBy: Self.byRank, limit: 4))
            for part in 0..<5 {
                let ids = (0..<40).map { Int64(1_000 + part * 40 + $0) }
                let rows = ids.map { "(\($0), \(5_000 - $0), 'n')" }.joined(separator: ", ")
                try await game.change("INSERT INTO Player (objectID, rank, name) VALUES \(rows)", inserted: ids)
            }
            for part in 0..<20 {
                let doomed = Array(game.ids + (part == 0 ? Array(1...5) : [])).sorted()
                let list = doomed.map(String.init).joined(separator: ",")
                try await game.change("DELETE FROM Player WHERE objectID IN (\(list))", deleted: doomed)
            }
        }
    }

    @Test(arguments: [SortOrder.forward, .reverse], [SortOrder.forward, .reverse])
    func nilValuesAndDescendingKeys(_ first: SortOrder, _ second: SortOrder) async throws {
        try await withPlayers(200) { manager in
            try await manager.write { database in
                try database.execute(sql: "UPDATE Player SET rank = NULL WHERE objectID % 3 = 0")
                try database.execute(sql: "UPDATE Player SET rank = objectID % 5 WHERE objectID % 3 = 1")
                try database.execute(sql: "UPDATE Player SET name = 'n' || (objectID % 7)")
            }
            let sort = [SortDescriptor(\Player.rank, order: first), SortDescriptor(\Player.name, order: second)]
            var game = try Game(manager, ObjectRequest(sortedBy: sort, limit: 2))
            for _ in 0..<60 {
                guard let id = game.ids.first else { break }
                try await game.change("DELETE FROM Player WHERE objectID = \(id)", deleted: [id])
            }
            for _ in 0..<60 {
                let ids = game.ids
                let list = ids.map(String.init).joined(separator: ",")
                try await game.change("DELETE FROM Player WHERE objectID IN (\(list))", deleted: ids)
            }
            #expect(game.ids == (try manager.viewStorage.objects(game.request).map(\.objectID.rowID)))
        }
    }

    @Test func randomChangesShowFetchedObjects() async throws {
        var random = SeededGenerator(seed: 24)
        for _ in 0..<8 {
            let (limit, offset) = (Int.random(in: 0...12, using: &random), Int.random(in: 0...6, using: &random))
            try await withPlayers(40) { manager in
                var game = try Game(
                    manager,
                    ObjectRequest(\.name != "out", sortedBy: Self.byRank, limit: limit, offset: offset)
                )
                for _ in 0..<60 {
                    let ids = Set(
                        (0..<Int.random(in: 1...4, using: &random)).map { _ in Int64.random(in: 1...60, using: &random)
                        }
                    )
                    let list = ids.map(String.init).joined(separator: ",")
                    if Bool.random(using: &random) {
                        try await game.change("DELETE FROM Player WHERE objectID IN (\(list))", deleted: ids.sorted())
                    } else {
                        let rank = Int.random(in: 1...30, using: &random)
                        let name = Bool.random(using: &random) ? "in" : "out"
                        let rows = ids.map { "(\($0), \(rank), '\(name)')" }.joined(separator: ",")
                        // A list may be given changes of rows that did not exist before.
                        try await game.change(
                            "INSERT OR REPLACE INTO Player (objectID, rank, name) VALUES \(rows)",
                            updated: ids.sorted()
                        )
                    }
                }
            }
        }
    }

    @Test func stepsOfRefillDoNotDependOnSize() async throws {
        let few = try await stepsOfRefill(1_000)
        let many = try await stepsOfRefill(10_000)
        #expect(abs(few - many) * 10 <= few, "\(few), \(many)")
    }

    /// Returns the steps of the upkeep after which the reserve of a list is read again.
    private func stepsOfRefill(_ count: Int) async throws -> Int {
        try await withStorage(model: Self.model) { manager in
            try await manager.write { database in
                try database.execute(
                    sql: """
                        WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
                        INSERT INTO Player (objectID, rank, name) SELECT n, n, 'p' FROM numbers
                        """,
                    arguments: [count]
                )
            }
            let sort = [SortDescriptor(\Player.rank), SortDescriptor(\.name)]
            var game = try Game(manager, ObjectRequest(sortedBy: sort, limit: 10))
            for ids in [1...40, 41...80] as [ClosedRange<Int64>] {
                let list = ids.map(String.init).joined(separator: ",")
                try await game.change("DELETE FROM Player WHERE objectID IN (\(list))", deleted: Array(ids))
            }
            return game.steps
        }
    }
}
#endif
