import Synchronization
import Testing

@testable import LarderStores

/// How those who wait for a fast disk let others run: decision 0040.
@Suite struct YieldingTests {
    private let machine = Machine()
    private let yielding: Yielding

    init() {
        let machine = machine
        yielding = Yielding(now: { machine.now }, letOthersRun: { machine.letOthersRun() })
    }

    @Test func whoeverWaitsYieldsUntilItHappens() {
        yielding.wait(within: .microseconds(300)) { machine.yields == 7 }
        #expect(machine.yields == 7)
    }

    @Test func nobodyYieldsForLongerThanTheLimit() {
        yielding.wait(within: .microseconds(40)) { false }
        #expect(machine.yields == 40)
    }

    @Test func aMachineWithOtherWorkIsLeftAloneForTwiceAsManySyncsEachTime() {
        machine.yieldsTake = .milliseconds(4)
        let pauses = (0..<13).map { _ in
            yielding.wait(within: .microseconds(300)) { false }
            return syncsWithoutYielding()
        }
        #expect(pauses == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 4096])
        #expect(machine.yields == 13)
    }

    @Test func aLongYieldAmongManyShortOnesIsTakenForChance() {
        machine.yieldsTake = .milliseconds(4)
        yielding.wait(within: .microseconds(300)) { false }
        #expect(syncsWithoutYielding() == 2)
        machine.yieldsTake = .microseconds(1)
        yielding.wait(within: .microseconds(300)) { false }
        machine.yieldsTake = .milliseconds(4)
        yielding.wait(within: .microseconds(300)) { false }
        #expect(syncsWithoutYielding() == 2)
    }

    private func syncsWithoutYielding() -> Int {
        var count = 0
        while !yielding.isCheap {
            yielding.countSync()
            count += 1
        }
        return count
    }
}

/// A machine on which a yield takes as long as the test says.
private final class Machine: Sendable {
    private struct State {
        var now = ContinuousClock.now
        var yields = 0
        var yieldsTake = Duration.microseconds(1)
    }

    private let state = Synchronization.Mutex(State())

    var now: ContinuousClock.Instant { state.withLock { $0.now } }
    var yields: Int { state.withLock { $0.yields } }
    var yieldsTake: Duration {
        get { state.withLock { $0.yieldsTake } }
        set { state.withLock { $0.yieldsTake = newValue } }
    }

    func letOthersRun() {
        state.withLock { state in
            state.now += state.yieldsTake
            state.yields += 1
        }
    }
}
