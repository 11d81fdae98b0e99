#if Objects
import Foundation
import Testing

/// Migrates files through random chains of versions, and compares them with the oracle of the random pairs.
///
/// Set `LARDER_CHAINS` to change the number of chains, and `LARDER_SEED` to change the first seed.
@Suite struct RandomChainTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// CI opens a file of every fifth version, because an opening migrates through 50 versions on average.
    private static let stride = environment["LARDER_CHAINS"] == nil ? 5 : 1
    private static let first = environment["LARDER_SEED"].flatMap(UInt64.init) ?? 1
    private static let chains = environment["LARDER_CHAINS"].flatMap(UInt64.init) ?? 1
    private static let length = environment["LARDER_PROOFS"] == "few" ? 20 : 100

    @Test(arguments: first..<first + chains)
    func fileOfEachVersionIsMigratedToLastVersionInOneOpening(_ seed: UInt64) async throws {
        try await withTemporaryFolder { folder in
            let chain = try ChainProof(seed: seed, count: Self.length)
            #expect(chain.versions.count { $0.stage != nil } == Self.length / 10 - 1)
            var failures = 0
            for index in chain.versions.indices where index % Self.stride == 0 {
                let problems = try chain.climb(from: index, in: folder)
                guard !problems.isEmpty else { continue }
                failures += 1
                if failures <= 3 { Issue.record("seed \(seed), \(problems.prefix(5))") }
            }
            #expect(failures == 0)
        }
    }

    @Test(arguments: first..<first + chains)
    func fileMigratedStepByStepMatchesOracleAtEachVersion(_ seed: UInt64) async throws {
        try await withTemporaryFolder { folder in
            let problems = try ChainProof(seed: seed, count: Self.length).climbStepByStep(in: folder)
            #expect(problems == [], "seed \(seed)")
        }
    }
}
#endif
