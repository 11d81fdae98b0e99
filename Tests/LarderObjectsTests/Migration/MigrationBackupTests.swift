#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of the backups that migrations write, and of restoring the backups.
@Suite struct MigrationBackupTests {
    private typealias First = MigrationTests.First
    private static let removed = ObjectModel(
        [MigrationTests.Removed.Note.self, MigrationTests.Removed.Folder.self],
        version: 2
    )
    private static let retyped = ObjectModel(
        [MigrationTests.Retyped.Note.self, MigrationTests.Retyped.Folder.self],
        version: 2
    )

    private func names(_ file: MigratingFile) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: file.folder.path)
            .filter { $0.hasPrefix("file.sqlite.") }.sorted()
    }

    private func open(
        _ file: MigratingFile,
        _ model: ObjectModel,
        backups: Int
    ) throws -> SQLiteStorageManager {
        var configuration = file.configuration
        configuration.migration.backups = backups
        return try SQLiteStorageManager(model: model, url: file.url, configuration: configuration)
    }

    @Test func droppingAttributeCreatesBackup() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            #expect(try await file.migrate(to: Self.removed) { _ in })
            #expect(try names(file) == ["file.sqlite.version-1"])
            let copy = file.url.path + ".version-1"
            let manager = try SQLiteStorageManager(
                model: First.model,
                url: URL(fileURLWithPath: copy),
                configuration: file.configuration
            )
            #expect(try manager.viewStorage.allObjects(ofType: First.Note.self).compactMap { $0.fax }.count == 25)
            #expect(try manager.verify().problems == [])
            try manager.close()
            let summary = try await SchemaProbe.values(
                of: file.url,
                "SELECT summary FROM larder_history ORDER BY step DESC LIMIT 1"
            )
            #expect(summary.first??.contains(#""backup":"file.sqlite.version-1""#) == true)
        }
    }

    @Test func migrationWithoutDataLossCreatesNoBackup() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let isEqual = try await file.migrate(to: Self.retyped) { _ in }
            #expect(isEqual)
            #expect(try names(file) == [])
        }
    }

    @Test func noBackupIsCreatedIfBackupCountIsZero() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let manager = try open(file, Self.removed, backups: 0)
            #expect(try manager.verify().problems == [])
            try manager.close()
            #expect(try names(file) == [])
        }
    }

    @Test(arguments: [1, 2, 3])
    func onlyLatestBackupsAreKept(_ count: Int) async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let original = try Data(contentsOf: file.url)
            for name in ["file.sqlite.version-1.old", "file.sqlite.version-x", "file.sqlite.version-1-2-3"] {
                try Data().write(to: file.folder.appendingPathComponent(name))
            }
            let unrelated = try names(file)
            for run in 1...4 {
                try open(file, Self.removed, backups: count).close()
                let made = try Set(names(file)).subtracting(unrelated)
                #expect(made.count == min(run, count))
                try original.write(to: file.url)
            }
            #expect(try Set(names(file)).isSuperset(of: unrelated))
        }
    }

    @Test func backupIsRemovedIfMigrationIsRolledBack() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let plan = MigrationPlan(
                versions: .models([try First.model.frozen()]),
                stages: [MigrationStage(from: 1, to: 2) { _ in throw Refusal() }]
            )
            let model = ObjectModel(
                [MigrationTests.Removed.Note.self, MigrationTests.Removed.Folder.self],
                version: 2,
                plan: plan
            )
            #expect(throws: ObjectError.self) { try file.open(model) }
            #expect(try names(file) == [])
            #expect(try await file.migrate(to: First.model) { _ in })
        }
    }

    @Test func restoringBackupRevertsMigration() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let manager = try file.open(Self.removed)
            let backup = URL(fileURLWithPath: file.url.path + ".version-1")
            let busy = #expect(throws: ObjectError.self) {
                try SQLiteStorageManager.restore(from: backup, to: file.url)
            }
            #expect(busy?.code == .busy)
            try manager.close()
            let aside = try SQLiteStorageManager.restore(from: backup, to: file.url)
            #expect(aside?.lastPathComponent == "file.sqlite.quarantined-1")
            let isEqual = try await file.migrate(to: First.model) { manager in
                let notes = try manager.viewStorage.allObjects(ofType: First.Note.self)
                #expect(notes.compactMap { $0.fax }.count == 25)
            }
            #expect(isEqual)
            #expect(
                try names(file) == ["file.sqlite.quarantined-1", "file.sqlite.version-1"]
            )
        }
    }

    @Test func invalidBackupIsNotRestored() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let bytes = try Data(contentsOf: file.url)
            let other = file.folder.appendingPathComponent("other")
            try Data(count: 10_000).write(to: other)
            let error = #expect(throws: ObjectError.self) {
                try SQLiteStorageManager.restore(from: other, to: file.url)
            }
            #expect(error?.code == .notADatabase && error?.path == other.path)
            var damaged = bytes
            for offset in 5_000..<9_000 { damaged[offset] ^= 0x5A }
            try damaged.write(to: other)
            let damage = #expect(throws: ObjectError.self) {
                try SQLiteStorageManager.restore(from: other, to: file.url)
            }
            #expect(damage?.code == .damaged && damage?.path == other.path)
            #expect(try Data(contentsOf: file.url) == bytes)
            #expect(try names(file) == [])
        }
    }

    @Test func openCompletesInterruptedRestore() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            try FileManager.default.moveItem(atPath: file.url.path, toPath: file.url.path + "-restored")
            let isEqual = try await file.migrate(to: First.model) { manager in
                let count = try manager.viewStorage.countObjects(ofType: First.Note.self)
                #expect(count == 50)
            }
            #expect(isEqual)
        }
    }

    @Test func backupReportsProgress() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let manager = try file.open(First.model)
            try await manager.performAndSave { storage in
                for _ in 0..<300 {
                    try storage.insertNewObject(ofType: First.Note.self).fax = String(repeating: "x", count: 20_000)
                }
            }
            var seen: [StoreProgress] = []
            let copy = file.folder.appendingPathComponent("copy.sqlite")
            try manager.backup(to: copy, verifying: false) { seen.append($0) }
            #expect(seen.count > 1)
            let completed = seen.map { $0.completed }
            #expect(completed == completed.sorted())
            #expect(seen.last?.fraction == 1)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    /// Fills a database with several times the number of pages between two progress reports.
    private static func fillWithManyPages(_ storage: any WritableStorageType) throws {
        for _ in 0..<500 {
            try storage.insertNewObject(ofType: First.Note.self).fax = String(repeating: "x", count: 20_000)
        }
    }

    @Test func migrationReportsProgressOfBackup() async throws {
        try await withFile(of: First.model, fill: Self.fillWithManyPages) { file in
            let seen = Box<[MigrationProgress]>([])
            var configuration = file.configuration
            configuration.migration.onProgress = { progress in seen.update { $0.append(progress) } }
            let manager = try SQLiteStorageManager(model: Self.removed, url: file.url, configuration: configuration)
            let fractions = seen.value.map(\.fraction)
            #expect(fractions == fractions.sorted() && fractions.last == 1)
            #expect(seen.value.count { $0.totalRows == 0 && $0.backup != nil && $0.fraction <= 0.25 } > 1)
            #expect(seen.value.last?.backup?.fraction == 1)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func cancellingDuringBackupLeavesFileUnchanged() async throws {
        try await withFile(of: First.model, fill: Self.fillWithManyPages) { file in
            let running = Box<StorageOpening?>(nil)
            let gate = DispatchSemaphore(value: 0)
            var configuration = file.configuration
            configuration.migration.onProgress = { progress in
                gate.wait()
                gate.signal()
                #expect(progress.backup != nil)
                running.value?.cancel()
            }
            let opening = SQLiteStorageManager.opening(model: Self.removed, url: file.url, configuration: configuration)
            running.update { $0 = opening }
            gate.signal()
            await #expect(throws: CancellationError.self) { try await opening.manager }
            #expect(try names(file) == [])
            let isEqual = try await file.migrate(to: First.model) { manager in
                let count = try manager.viewStorage.countObjects(ofType: First.Note.self)
                #expect(count == 500)
            }
            #expect(isEqual)
        }
    }
}
#endif
