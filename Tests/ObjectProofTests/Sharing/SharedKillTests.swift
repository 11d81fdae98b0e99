#if Objects
import LarderTestSupport
import Testing

/// Kills processes that write to one file.
@Suite struct SharedKillTests {
    @Test func acknowledgedSavesSurviveKills() throws {
        var proof = try SharedKillProof()
        var random = SplitMix64(seed: Torture.seed)
        var problems: [String] = []
        while proof.kills < Torture.sharedKills, problems.count < 5 { problems += try proof.kill(&random) }
        problems += try proof.finish()
        #expect(problems == [])
        // Kills between a commit and its acknowledgment show that processes were killed while they wrote.
        if proof.kills >= 200 { #expect(proof.unacknowledged > 0) }
        Torture.say(
            "two writing processes: \(proof.kills) kills, \(proof.saves) saves, \(proof.unacknowledged) not acknowledged, "
                + "\(problems.count) failures"
        )
    }
}
#endif
