#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestSupport
import ObjectStorageModels
import Testing

/// Tests of several processes that write to one file.
@Suite struct SharedFileTests {
    private static let writers = ["a", "b", "c", "d"]

    @Test func incrementsOfFourProcessesAreCounted() throws {
        let folder = try TemporaryDirectory()
        let url = folder.url("ledger.sqlite")
        let times = Torture.isSmall ? 250 : 2_500
        let processes = try Self.writers.map { _ in try LedgerProcess("increment", url, ["\(times)"]) }
        for process in processes { try process.finish() }
        let manager = try Ledger.open(url.path)
        #expect(try Ledger.counter(manager.viewStorage) == Int64(4 * times))
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    @Test func idsAreNeverShared() throws {
        let folder = try TemporaryDirectory()
        let url = folder.url("ledger.sqlite")
        // Each process needs more ids than it reserves at a time.
        let (saves, objects) = (60, 50)
        let processes = try Self.writers.map {
            try LedgerProcess.saving($0, url, in: folder, ["times=\(saves)", "objects=\(objects)"])
        }
        for process in processes { try process.finish() }
        let manager = try Ledger.open(url.path)
        let entries = try manager.viewStorage.allObjects(ofType: Ledger.Entry.self).map(\.objectID.rowID)
        let notes = try manager.viewStorage.allObjects(ofType: Ledger.Note.self).map(\.objectID.rowID)
        #expect(entries.count == 4 * saves * objects && notes.count == entries.count)
        #expect(Set(entries).isDisjoint(with: notes))
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    @Test func idChosenByRawSQLIsNotAssignedByAnotherManager() async throws {
        let folder = try TemporaryDirectory()
        let (first, second) = (
            try Ledger.open(folder.path("ledger.sqlite")), try Ledger.open(folder.path("ledger.sqlite"))
        )
        try await first.performAndSave { try Ledger.insert(1, "a", 1, into: $0) }
        // The second manager reserves the ids after those of the first.
        try await second.performAndSave { try Ledger.insert(1, "b", 1, into: $0) }
        let chosen = try await first.write { database in
            let next = try Int64.fetchOne(database, sql: "SELECT next FROM larder_sequence") ?? 0
            let ids = [next, next + 1_000]
            for id in ids {
                try database.execute(
                    sql: "INSERT INTO Note (objectID, writer, number) VALUES (?, 'raw', 0)",
                    arguments: [id]
                )
            }
            return ids
        }
        for number in 2...4 {
            try await second.performAndSave { try Ledger.insert(1_000, "b", Int64(number), into: $0) }
        }
        let entries = try second.viewStorage.allObjects(ofType: Ledger.Entry.self).map(\.objectID.rowID)
        #expect(entries.max() ?? 0 > chosen[1])
        #expect(Set(entries).isDisjoint(with: chosen))
        #expect(try second.verify().problems == [])
        try first.close()
        try second.close()
    }

    @Test func readersDoNotWaitForWriter() async throws {
        let holder = try await HeldLedger()
        let reader = try Ledger.open(holder.path)
        let readOnly = try SQLiteStorageManager.openReadOnly(
            model: Ledger.model,
            url: holder.url,
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        )
        for manager in [reader, readOnly] {
            #expect(try Ledger.counter(manager.viewStorage) == 1)
            let values = try await manager.fetchValues(ObjectRequest<Ledger.Counter>()) { $0.value }
            #expect(values == [1])
            #expect(try manager.verify().problems == [])
        }
        #expect(holder.isHolding)
        try holder.allow()
        for manager in [reader, readOnly] { try manager.close() }
    }

    @Test func openingAndClosingDoNotWaitForWriter() async throws {
        let holder = try await HeldLedger()
        let manager = try Ledger.open(holder.path) { $0.openingTimeout = .milliseconds(200) }
        #expect(try Ledger.counter(manager.viewStorage) == 1)
        try manager.close()
        #expect(holder.isHolding)
        try holder.allow()
        let again = try Ledger.open(holder.path)
        #expect(try Ledger.counter(again.viewStorage) == 2)
        try again.close()
    }

    @Test func writerIsBusyAfterTimeout() async throws {
        let holder = try await HeldLedger()
        let manager = try Ledger.open(holder.path) { $0.writingTimeout = .milliseconds(200) }
        let began = ContinuousClock.now
        await holder.expectBusy { try await manager.performAndSave { try Ledger.increment($0) } }
        #expect(ContinuousClock.now - began >= .milliseconds(200))
        await holder.expectBusy { _ = try await manager.write { try $0.execute(sql: "DELETE FROM Counter") } }
        await holder.expectBusy { try manager.reset() }
        #expect(holder.isHolding)
        try holder.allow()
        try await manager.performAndSave { try Ledger.increment($0) }
        #expect(try Ledger.counter(manager.viewStorage) == 3)
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    @Test func stoppedWriterIsNamed() async throws {
        let holder = try await HeldLedger()
        let manager = try Ledger.open(holder.path) { $0.writingTimeout = .milliseconds(200) }
        holder.process.send(SIGSTOP)
        await holder.expectBusy { try await manager.performAndSave { try Ledger.increment($0) } }
        #expect(try Ledger.counter(manager.viewStorage) == 1)
        holder.process.send(SIGCONT)
        try holder.allow()
        try await manager.performAndSave { try Ledger.increment($0) }
        #expect(try Ledger.counter(manager.viewStorage) == 3)
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    @Test(arguments: [false, true]) func killedWriterIsSurvived(isStopped: Bool) async throws {
        let holder = try await HeldLedger()
        let manager = try Ledger.open(holder.path) { $0.writingTimeout = .seconds(60) }
        if isStopped { holder.process.send(SIGSTOP) }
        let save = Task { try await manager.performAndSave { try Ledger.increment($0) } }
        holder.process.kill()
        try await save.value
        // The increment of the killed process is not there.
        #expect(try Ledger.counter(manager.viewStorage) == 2)
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    @Test func loopInAnotherProcessDoesNotStarveWriter() async throws {
        let folder = try TemporaryDirectory()
        let url = folder.url("ledger.sqlite")
        let acknowledged = try SharedNumber(at: folder.path("acknowledged-a"))
        let manager = try Ledger.open(url.path)
        let loop = try LedgerProcess.saving("a", url, in: folder)
        try await waitUntil("the first save of the loop") { acknowledged.value > 0 }
        // Each save has the default time limit.
        for _ in 0..<100 { try await manager.performAndSave { try Ledger.increment($0) } }
        loop.kill()
        #expect(try Ledger.counter(manager.viewStorage) == 100)
        #expect(try manager.verify().problems == [])
        try manager.close()
    }
}
#endif
