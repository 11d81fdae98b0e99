#if Objects
import Foundation
import Testing

/// Compares migrations between random pairs of models with an independent oracle.
///
/// The oracle does not use Larder's schema descriptions. ``Torture`` lists the variables that change the number of pairs and the first seed.
@Suite struct RandomMigrationTests {
    private static let parts = 4

    @Test(arguments: 0..<parts) func migrationsBetweenTenThousandModelPairsMatchOracle(part: Int) throws {
        var results: [PairProof.Result: Int] = [:]
        var kinds: Set<String> = []
        var failures = 0
        let count = Torture.pairs / Self.parts
        for number in 0..<count {
            let proof = PairProof(seed: Torture.seed + UInt64(part * count + number))
            let outcome = try proof.run()
            results[outcome.result, default: 0] += 1
            kinds.formUnion(outcome.kinds)
            guard !outcome.problems.isEmpty else { continue }
            failures += 1
            if failures <= 5 { Issue.record(Comment(rawValue: try proof.report())) }
        }
        #expect(failures == 0)
        Torture.say(
            "\(count) pairs of models in memory, \(results[.migrated, default: 0]) migrated, \(failures) failures"
        )
        // Both outcomes are common and every kind of loss occurs, or the proof shows little.
        #expect(results[.migrated, default: 0] > count / 3 && results[.refused, default: 0] > count / 10, "\(results)")
        #expect(results[.invalid] == nil)
        #expect(count < 500 || kinds.count == 9, "\(kinds)")
    }

    @Test func migratedFilesMatchOracleAndRejectedFilesAreUnchanged() async throws {
        try await withTemporaryFolder { folder in
            let count = max(1, Torture.pairs / 20)
            var failures = 0
            for number in 0..<count {
                let proof = PairProof(seed: Torture.seed + 1_000_000 + UInt64(number))
                let outcome = try proof.runOnDisk(in: folder)
                #expect(outcome.problems == [], "seed \(proof.seed)")
                if !outcome.problems.isEmpty { failures += 1 }
            }
            Torture.say("\(count) pairs of models on disk, \(failures) failures")
        }
    }
}
#endif
