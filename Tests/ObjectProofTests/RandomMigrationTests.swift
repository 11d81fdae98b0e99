#if Objects
import Foundation
import Testing

/// Compares migrations between random pairs of models with an independent oracle.
///
/// The oracle does not use Larder's schema descriptions. Set `LARDER_PAIRS` to change the number of pairs, and `LARDER_SEED` to change the
/// first seed.
@Suite struct RandomMigrationTests {
    private static let parts = 4
    private static let environment = ProcessInfo.processInfo.environment
    private static let count =
        environment["LARDER_PAIRS"].flatMap(Int.init) ?? (environment["LARDER_PROOFS"] == "few" ? 400 : 10_000)
    private static let first = environment["LARDER_SEED"].flatMap(UInt64.init) ?? 1

    @Test(arguments: 0..<parts) func migrationsBetweenTenThousandModelPairsMatchOracle(part: Int) throws {
        var results: [PairProof.Result: Int] = [:]
        var kinds: Set<String> = []
        var failures = 0
        let count = Self.count / Self.parts
        for number in 0..<count {
            let proof = PairProof(seed: Self.first + UInt64(part * count + number))
            let outcome = try proof.run()
            results[outcome.result, default: 0] += 1
            kinds.formUnion(outcome.kinds)
            guard !outcome.problems.isEmpty else { continue }
            failures += 1
            if failures <= 5 { Issue.record(Comment(rawValue: try proof.report())) }
        }
        #expect(failures == 0)
        // Both outcomes are common and every kind of loss occurs, or the proof shows little.
        #expect(results[.migrated, default: 0] > count / 3 && results[.refused, default: 0] > count / 10, "\(results)")
        #expect(results[.invalid] == nil)
        #expect(count < 500 || kinds.count == 9, "\(kinds)")
    }

    @Test func migratedFilesMatchOracleAndRejectedFilesAreUnchanged() async throws {
        try await withTemporaryFolder { folder in
            for number in 0..<max(1, Self.count / 20) {
                let proof = PairProof(seed: Self.first + 1_000_000 + UInt64(number))
                let outcome = try proof.runOnDisk(in: folder)
                #expect(outcome.problems == [], "seed \(proof.seed)")
            }
        }
    }
}
#endif
