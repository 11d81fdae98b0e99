import LarderTestSupport
import Testing

/// How long the tests wait for what must come to pass.
@Suite struct PatienceTests {
    private let start = ContinuousClock.now

    @Test func itEndsWhenTheLimitIsReached() {
        var patience = Patience(.seconds(60), from: start)
        let turns = (1...).first { patience.isOver(at: start + .milliseconds(100 * $0)) }
        #expect(turns == 600)
    }

    @Test func turnsThatWereLongInComingAreAHundred() {
        var patience = Patience(.seconds(60), from: start)
        let turns = (1...).first { patience.isOver(at: start + .seconds(30 * $0)) }
        #expect(turns == 100)
    }
}
