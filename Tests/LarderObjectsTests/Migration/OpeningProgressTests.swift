#if Objects
import Foundation
import GRDB
import LarderCore
@testable import LarderObjects
import Testing

/// Tests of asynchronous opening, and of the progress and cancellation of a migration.
@Suite struct OpeningProgressTests {
    private typealias First = MigrationTests.First
    private static let retyped = ObjectModel(
        [MigrationTests.Retyped.Note.self, MigrationTests.Retyped.Folder.self],
        version: 2
    )

    /// Returns the model of version 2 with a stage that waits for `gate` before it reads objects.
    private static func waiting(for gate: DispatchSemaphore) throws -> ObjectModel {
        let plan = MigrationPlan(
            versions: .models([try First.model.frozen()]),
            stages: [
                MigrationStage(from: 1, to: 2) { migration in
                    gate.wait()
                    try migration.forEach("Note") { _ in }
                }
            ]
        )
        return ObjectModel(
            [MigrationTests.Retyped.Note.self, MigrationTests.Retyped.Folder.self],
            version: 2,
            plan: plan
        )
    }

    private func check(_ seen: [MigrationProgress]) {
        let fractions = seen.map { $0.fraction }
        #expect(fractions == fractions.sorted())
        #expect(fractions.first == 0 && fractions.last == 1)
        #expect(fractions.filter { $0 == 1 }.count == 1)
        #expect(seen.allSatisfy { $0.fromVersion == 1 && $0.toVersion == 2 && $0.totalRows == 50 })
        #expect(seen.contains { $0.entity == "Note" && $0.completedRows == 50 })
        #expect(seen.last?.entity == nil && seen.last?.completedRows == 50)
    }

    @Test func openReportsMigrationProgress() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let seen = Box<[MigrationProgress]>([])
            var configuration = file.configuration
            configuration.migration.onProgress = { progress in seen.update { $0.append(progress) } }
            for _ in 0..<2 {
                let manager = try SQLiteStorageManager(model: Self.retyped, url: file.url, configuration: configuration)
                #expect(try manager.verify().problems == [])
                try manager.close()
            }
            // The second opening migrates nothing.
            check(seen.value)
        }
    }

    @Test func asyncOpenReturnsSameManagerToAllCallers() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let seen = Box<[MigrationProgress]>([])
            var configuration = file.configuration
            configuration.migration.onProgress = { progress in seen.update { $0.append(progress) } }
            let opening = SQLiteStorageManager.opening(model: Self.retyped, url: file.url, configuration: configuration)
            async let other = opening.manager
            var last: MigrationProgress?
            for await progress in opening.progress { last = progress }
            #expect(last?.fraction == 1)
            let manager = try await opening.manager
            #expect(try await other === manager)
            opening.cancel()
            #expect(try await opening.manager === manager)
            check(seen.value)
            #expect(try manager.viewStorage.countObjects(ofType: MigrationTests.Retyped.Note.self) == 50)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func progressFinishesWithoutMigration() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let opening = SQLiteStorageManager.opening(
                model: First.model,
                url: file.url,
                configuration: file.configuration
            )
            opening.cancel()
            for await progress in opening.progress { Issue.record("\(progress)") }
            let manager = try await opening.manager
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func asyncOpenThrowsOpenError() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("file.sqlite")
            try Data("no database".utf8).write(to: url)
            let opening = SQLiteStorageManager.opening(model: First.model, url: url)
            let error = await #expect(throws: ObjectError.self) { try await opening.manager }
            #expect(error?.code == .notADatabase)
            let again = await #expect(throws: ObjectError.self) { try await opening.manager }
            #expect(again?.code == .notADatabase)
        }
    }

    @Test(arguments: [false, true])
    func cancellingMigrationLeavesFileUnchanged(byTask: Bool) async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let gate = DispatchSemaphore(value: 0)
            let opening = SQLiteStorageManager.opening(
                model: try Self.waiting(for: gate),
                url: file.url,
                configuration: file.configuration
            )
            let task = Task { try await opening.manager }
            if byTask { task.cancel() } else { opening.cancel() }
            // The handler of a cancelled task may run later.
            if byTask { _ = await Task.detached { while !opening.isCancelled { await Task.yield() } }.value }
            gate.signal()
            await #expect(throws: CancellationError.self) { try await task.value }
            let names = try FileManager.default.contentsOfDirectory(atPath: file.folder.path)
            #expect(!names.contains { $0.hasPrefix("file.sqlite.") })
            let isEqual = try await file.migrate(to: First.model) { manager in
                let notes = try manager.viewStorage.allObjects(ofType: First.Note.self)
                #expect(notes.map { $0.stars } == Array(0..<50))
            }
            #expect(isEqual)
        }
    }

    @Test func cancellingMigrationInterruptsRunningStatement() throws {
        let queue = try DatabaseQueue()
        let control = MigrationControl()
        let counting =
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) FROM n"
        try queue.inDatabase { database in
            let statements = StatementCache(database)
            try control.interrupting(database) {
                let before = try statements.integers(counting, [.integer(100_000)])
                #expect(before == [100_000])
                control.cancel()
                let error = #expect(throws: DatabaseError.self) {
                    try statements.integers(counting, [.integer(.max)])
                }
                #expect(error?.resultCode == .SQLITE_INTERRUPT)
            }
            // The connection is not interrupted afterwards.
            let after = try statements.integers(counting, [.integer(100_000)])
            #expect(after == [100_000])
        }
    }
}
#endif
