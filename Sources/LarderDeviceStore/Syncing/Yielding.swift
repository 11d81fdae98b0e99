import LarderFiles
import Synchronization

/// Letting other threads run until something happens, for as long as that is cheaper than to sleep and be woken.
///
/// On a machine that has other work to do, whoever yields may get the processor back after milliseconds. That is noticed: then
/// nobody yields for some syncs, twice as many each time that it is found to be so still.
final class Yielding: Sendable {
    /// What a yield takes at most where nobody else needs the processor for long.
    private static let longest = Duration.microseconds(300)
    /// For how many syncs nobody yields, the first time and at most.
    private static let shortestPause: UInt32 = 2
    private static let longestPause: UInt32 = 4096
    /// So many cheap ones in a row, and the next that is not is taken for chance.
    private static let many: UInt32 = 100

    private let pause = Atomic<UInt32>(0)
    private let nextPause = Atomic<UInt32>(Yielding.shortestPause)
    private let cheapOnes = Atomic<UInt32>(0)
    private let now: @Sendable () -> ContinuousClock.Instant
    private let letOthersRun: @Sendable () -> Void

    /// By the processor's time and the system's scheduler, unless a test says otherwise.
    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        letOthersRun: @escaping @Sendable () -> Void = { CurrentProcess.yield() }
    ) {
        self.now = now
        self.letOthersRun = letOthersRun
    }

    /// Whether it is worth trying.
    var isCheap: Bool { pause.load(ordering: .relaxed) == 0 }

    /// One sync is over.
    func countSync() {
        let left = pause.load(ordering: .relaxed)
        if left > 0 { pause.store(left - 1, ordering: .relaxed) }
    }

    /// Lets others run until `condition` holds, `limit` is over, or it has become dear.
    func wait(within limit: Duration, until condition: () -> Bool) {
        var time = now()
        let end = time + limit
        while isCheap, time < end, !condition() { time = yield(since: time) }
    }

    /// Lets others run once.
    ///
    /// - Returns: The time afterwards.
    func yield(since before: ContinuousClock.Instant) -> ContinuousClock.Instant {
        letOthersRun()
        let after = now()
        if after - before > Self.longest {
            noteDearOne()
        } else {
            // Several at once may be counted as one.
            cheapOnes.store(cheapOnes.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        }
        return after
    }

    private func noteDearOne() {
        // Those who waited beside the one that has noted it say nothing new.
        guard isCheap else { return }
        let isChance = cheapOnes.exchange(0, ordering: .relaxed) > Self.many
        let length = isChance ? Self.shortestPause : nextPause.load(ordering: .relaxed)
        guard pause.compareExchange(expected: 0, desired: length, ordering: .relaxed).exchanged else { return }
        nextPause.store(min(length * 2, Self.longestPause), ordering: .relaxed)
    }
}
