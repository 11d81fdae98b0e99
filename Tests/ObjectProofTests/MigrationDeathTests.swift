#if Objects
import Foundation
import LarderTesting
import ObjectStorageModels
import Testing

/// Interrupts migrations in another process: at each call that changes the disk, at random times, and while the disk is full.
///
/// After each interruption the file has all old objects or all new ones, and opening it again completes the migration. ``Torture`` lists
/// the variables that change the number of kills and the first seed.
@Suite struct MigrationDeathTests {
    /// CI checks every third state of the disk.
    private static let stateStride = Torture.isRunning ? 1 : 3
    /// How many pairs of processes open a file at once.
    private static let pairs = Torture.kills / 40

    /// Runs a proof for each number, and records what is wrong.
    ///
    /// - Returns: The outcomes.
    @discardableResult
    private func sweep(
        _ proof: DeathProof,
        _ fault: HelperRun.Fault,
        _ numbers: some Sequence<Int>
    ) throws -> [DeathProof.Outcome] {
        var failures = 0
        let outcomes = try numbers.map { number in
            let outcome = try proof.run(fault, number)
            if !outcome.problems.isEmpty {
                failures += 1
                if failures <= 5 {
                    Issue.record("\(proof.migration), \(fault) at \(number), \(outcome.end): \(outcome.problems)")
                }
            }
            return outcome
        }
        let killed = outcomes.count { $0.end == .killed }
        Torture.say(
            "\(proof.migration) migration, fault \(fault): \(outcomes.count) processes, \(killed) killed, \(failures) failures"
        )
        return outcomes
    }

    @Test(arguments: LibraryMigration.allCases)
    func killBeforeAnyDiskOperationLeavesOldOrNewObjects(_ migration: LibraryMigration) async throws {
        try await withTemporaryFolder { folder in
            let proof = try await DeathProof(migration, in: folder)
            let outcomes = try sweep(proof, .kill, 1...proof.calls.count)
            #expect(outcomes.count { $0.end == .killed } >= proof.calls.count * 9 / 10)
            // The calls before and after the commit are both there.
            #expect(outcomes.contains(where: \.isMigrated) && outcomes.contains { !$0.isMigrated })
        }
    }

    @Test(arguments: LibraryMigration.allCases)
    func killDuringAnyWriteLeavesOldOrNewObjects(_ migration: LibraryMigration) async throws {
        try await withTemporaryFolder { folder in
            let proof = try await DeathProof(migration, in: folder)
            let writes = proof.calls.indices.filter { "wW".contains(proof.calls[$0]) }.map { $0 + 1 }
            let outcomes = try sweep(proof, .halfway, writes)
            #expect(outcomes.count { $0.end == .killed } >= writes.count * 9 / 10)
        }
    }

    @Test(arguments: LibraryMigration.allCases)
    func diskFullAtAnyFileGrowthLeavesOldObjects(_ migration: LibraryMigration) async throws {
        try await withTemporaryFolder { folder in
            let proof = try await DeathProof(migration, in: folder)
            let growths = proof.calls.count { "WM".contains($0) }
            let outcomes = try sweep(proof, .full, 1...growths)
            let codes = Set(outcomes.compactMap { if case .failed(let code, _) = $0.end { code } else { nil } })
            #expect(codes == ["diskFull"])
        }
    }

    @Test(arguments: LibraryMigration.allCases)
    func failureOfAnyDiskOperationLeavesOldObjects(_ migration: LibraryMigration) async throws {
        try await withTemporaryFolder { folder in
            let proof = try await DeathProof(migration, in: folder)
            let outcomes = try sweep(proof, .fail, 1...proof.calls.count)
            let failures = outcomes.count { if case .failed = $0.end { true } else { false } }
            #expect(failures > proof.calls.count / 2)
        }
    }

    @Test(arguments: LibraryMigration.allCases)
    func killAtAnyTimeLeavesOldOrNewObjects(_ migration: LibraryMigration) async throws {
        try await withTemporaryFolder { folder in
            let proof = try await DeathProof(migration, in: folder)
            var random = SeededGenerator(seed: Torture.seed)
            // The other tests interrupt each call, some twice.
            let count = max(20, Torture.kills / 2 - proof.calls.count * 2 - Self.pairs)
            let delays = (0..<count).map { _ in Int.random(in: 1...proof.duration * 5 / 4, using: &random) }
            let outcomes = try sweep(proof, .delay, delays)
            #expect(outcomes.count { $0.end == .killed } > delays.count / 4)
            #expect(outcomes.contains { $0.isMigrated } && outcomes.contains { !$0.isMigrated })
        }
    }

    @Test(arguments: LibraryMigration.allCases)
    func powerLossLeavesOldOrNewObjects(_ migration: LibraryMigration) async throws {
        try await withTemporaryFolder { folder in
            let proof = try await DeathProof(migration, in: folder)
            let record = try proof.record()
            let states = record.states
            var (checked, migrated) = (0, 0)
            for (number, state) in states.enumerated()
            where number % Self.stateStride == 0 || number == states.count - 1 {
                let outcome = try proof.run(record, state)
                #expect(outcome.problems == [], "\(migration), \(state) of \(record.changes.count) changes")
                // When the opening is over, no state lacks the new objects.
                #expect(outcome.isMigrated || state.count < record.changes.count, "\(state)")
                checked += 1
                if outcome.isMigrated { migrated += 1 }
            }
            Torture.say(
                "\(migration) migration, power loss: \(checked) states of the disk, \(migrated) with new objects"
            )
            #expect(states.count > record.changes.count * 2 && migrated > 0)
        }
    }

    @Test(arguments: LibraryMigration.allCases)
    func secondProcessMigratesFileAfterFirstIsKilled(_ migration: LibraryMigration) async throws {
        try await withTemporaryFolder { folder in
            let proof = try await DeathProof(migration, in: folder)
            var random = SeededGenerator(seed: Torture.seed)
            var survivors = 0
            for _ in 0..<Self.pairs {
                let number = Int.random(in: 1...proof.calls.count, using: &random)
                let (outcome, survivor) = try proof.runTwo(.kill, number)
                #expect(outcome.problems == [], "\(migration), kill at \(number), \(outcome.end), \(survivor)")
                if case .opened = survivor { survivors += 1 }
            }
            #expect(survivors > 0)
            Torture.say("\(migration) migration, two processes: \(Self.pairs) pairs, \(survivors) survivors migrated")
        }
    }
}
#endif
