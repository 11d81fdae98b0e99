#if Objects
import Foundation
import Testing

/// Migrates files through random chains of versions, and compares them with the oracle of the random pairs.
///
/// ``Torture`` lists the variables that change the number of chains and the first seed.
@Suite struct RandomChainTests {
    /// CI opens a file of every fifth version, because an opening migrates through 50 versions on average.
    private static let stride = Torture.isRunning ? 1 : 5
    private static let length = Torture.isSmall ? 20 : 100
    private static let seeds = Torture.seed..<Torture.seed + UInt64(Torture.chains)

    @Test(arguments: seeds)
    func fileOfEachVersionIsMigratedToLastVersionOnOpen(_ seed: UInt64) async throws {
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
            Torture.say(
                "\(chain.versions.count) versions from each \(Self.stride), chain \(seed), \(failures) failures"
            )
        }
    }

    @Test(arguments: seeds)
    func fileMigratedStepByStepMatchesOracleAtEachVersion(_ seed: UInt64) async throws {
        try await withTemporaryFolder { folder in
            let problems = try ChainProof(seed: seed, count: Self.length).climbStepByStep(in: folder)
            #expect(problems == [], "seed \(seed)")
        }
    }
}
#endif
