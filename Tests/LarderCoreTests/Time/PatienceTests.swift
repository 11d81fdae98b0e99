import LarderTestSupport
import Testing

/// Tests of the time limit that other tests use to wait for a condition.
@Suite struct PatienceTests {
    private let start = ContinuousClock.now

    @Test func waitTimesOutAtLimit() {
        var patience = Patience(.seconds(60), from: start)
        let turns = (1...).first { patience.isOver(at: start + .milliseconds(100 * $0)) }
        #expect(turns == 600)
    }

    @Test func waitMakesAtLeast100ChecksBeforeTimingOut() {
        var patience = Patience(.seconds(60), from: start)
        let turns = (1...).first { patience.isOver(at: start + .seconds(30 * $0)) }
        #expect(turns == 100)
    }
}
