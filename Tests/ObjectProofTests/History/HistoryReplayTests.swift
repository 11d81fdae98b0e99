#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import ObjectStorageModels
import Testing

/// Copies what the history names from a file into an earlier backup, and compares both.
@Suite(.expectsIssues(.repeatedQuery)) struct HistoryReplayTests {
    private static let parts: UInt64 = 4
    /// The number of writes of one program.
    private static let writes = 40

    @Test(arguments: 0..<parts) func namedChangesRebuildFile(_ part: UInt64) async throws {
        var random = SeededGenerator(seed: Torture.seed + part)
        let folder = try TemporaryDirectory()
        let programs = Torture.programs / Int(Self.parts)
        var (run, compared, counts) = (0, 0, [String: Int]())
        while run < programs {
            let policies = [(HistoryPolicy.kept(oldValues: true), true), (.internal, false), (.kept(), false)]
            let (policy, hasOldValues) = policies[run / 10 % policies.count]
            let hasTrigger = Int.random(in: 0..<5, using: &random) == 0
            let url = folder.url("\(run).sqlite")
            let file = try await RandomWrites(url, policy, hasTrigger: hasTrigger)
            // Several programs write to one file, because opening a file costs more than a program.
            for _ in 0..<min(10, programs - run) {
                let replay = try await program(
                    file,
                    folder.url("\(run)-backup.sqlite"),
                    hasOldValues && !hasTrigger,
                    &random
                )
                let problems = try replay.problems + replay.differences()
                #expect(problems == [], "seed \(Torture.seed + part), program \(run)")
                compared += replay.comparedValues
                try replay.close()
                run += 1
                if !problems.isEmpty { run = programs }
            }
            counts.merge(file.counts, uniquingKeysWith: +)
            let damage = try file.manager.verify().problems
            #expect(damage == [], "seed \(Torture.seed + part), file \(url.lastPathComponent): \(damage)")
            try file.close()
        }
        let writes = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        Torture.say("\(programs) programs rebuilt from their histories, \(compared) old values: \(writes)")
        // A proof that never succeeds in writing, or sees no old values, shows nothing.
        if programs >= 40 {
            let kinds = ["reset", "raw SQL", "another program", "upsert", "save"]
            #expect(kinds.allSatisfy { counts[$0, default: 0] > 0 }, "\(counts)")
            #expect(counts["failed", default: 0] < programs * Self.writes / 4, "\(counts)")
            #expect(compared > programs)
        }
    }

    @Test func incompleteHistoryIsFound() async throws {
        let folder = try TemporaryDirectory()
        let file = try await RandomWrites(folder.url("shop.sqlite"), .kept(oldValues: true), hasTrigger: false)
        try await file.manager.performAndSave { try $0.insertNewObject(ofType: Order.self).number = 1 }
        let token = try file.manager.historyToken
        _ = try file.manager.backup(to: folder.url("backup.sqlite"))
        for quantity in 1...2 {
            try await file.manager.performAndSave { try $0.firstObject(ofType: Order.self)?.quantity = quantity }
        }
        let entries = try file.manager.history(after: token)
        let replay = try HistoryReplay(folder.url("backup.sqlite"), live: file.url, Shop.model)
        #expect(try replay.differences().count == 2)
        // The second save's old value is not that of the backup.
        try replay.copy(Array(entries.dropFirst()), hasOldValues: true)
        #expect(replay.problems.count == 1)
        #expect(try replay.differences() == [])
        try replay.close()
        #expect(try file.manager.verify().problems == [])
        try file.close()
    }

    /// Runs a program, and copies what its history names into a backup that was made in between.
    private func program(
        _ file: RandomWrites,
        _ backup: URL,
        _ hasOldValues: Bool,
        _ random: inout SeededGenerator
    ) async throws -> HistoryReplay {
        for _ in 0..<Int.random(in: 0..<Self.writes / 2, using: &random) { try await file.write(&random) }
        let token = try file.manager.historyToken
        _ = try file.manager.backup(to: backup)
        for _ in 0..<Int.random(in: 1...Self.writes / 2, using: &random) { try await file.write(&random) }
        let replay = try HistoryReplay(backup, live: file.url, Shop.model)
        try replay.copy(try file.manager.history(after: token), hasOldValues: hasOldValues)
        return replay
    }

    @Test func historyNamesChangesOfKilledProcesses() async throws {
        var random = SeededGenerator(seed: Torture.seed)
        let folder = try TemporaryDirectory()
        let url = folder.url("ledger.sqlite")
        var compared = 0
        for run in 0..<Torture.historyKills {
            let manager = try Ledger.open(url.path) { $0.history = .kept(oldValues: true) }
            try await manager.performAndSave { try Ledger.insert(3, "test", Int64(run), into: $0) }
            let token = try manager.historyToken
            let backup = folder.url("\(run).sqlite")
            _ = try manager.backup(to: backup)
            let seed = Int.random(in: 0..<1_000_000, using: &random)
            let process = try LedgerProcess("random", url, ["\(seed)", "1000000"])
            let saves = Int.random(in: 1...40, using: &random)
            try await waitUntil("\(saves) saves by the process") {
                (try? manager.history(after: token).count) ?? 0 >= saves
            }
            process.kill()
            // The next writer finds what the process has left.
            try await manager.performAndSave { try Ledger.increment($0) }
            let replay = try HistoryReplay(backup, live: url, Ledger.model)
            try replay.copy(try manager.history(after: token), hasOldValues: true)
            #expect(try replay.problems + replay.differences() == [], "seed \(Torture.seed), run \(run)")
            compared += replay.comparedValues
            try replay.close()
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
        #expect(compared > 0)
        Torture.say("\(Torture.historyKills) killed processes with complete histories, \(compared) old values")
    }
}
#endif
