import Foundation
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Tests of the threads that run Larder's background work.
@Suite struct BackgroundThreadTests {
    private final class Counter: Sendable {
        let count = Atomic(0)
        var value: Int { count.load(ordering: .acquiring) }
        func add() { count.add(1, ordering: .acquiringAndReleasing) }
    }

    @Test func backgroundThreadsBlockSignals() throws {
        let isBlocked = Mutex<Bool?>(nil)
        let caller = ObjectIdentifier(Thread.current)
        try BackgroundThreads.shared.run {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            let answer =
                ObjectIdentifier(Thread.current) != caller && sigismember(&mask, SIGINT) == 1
                && sigismember(&mask, SIGBUS) == 0
            isBlocked.withLock { $0 = answer }
        }
        try blockUntil("the work") { isBlocked.withLock { $0 != nil } }
        #expect(isBlocked.withLock { $0 } == true)
    }

    @Test func blockingWorkDoesNotDelayOtherWork() throws {
        let (begun, done, gate) = (Counter(), Counter(), ThreadSemaphore())
        for _ in 0..<20 {
            try BackgroundThreads.shared.run {
                begun.add()
                gate.wait()
                done.add()
            }
        }
        try blockUntil("all work to begin") { begun.value == 20 }
        for _ in 0..<20 { gate.signal() }
        try blockUntil("all work to end") { done.value == 20 }
    }

    @Test func blockingTimerDoesNotDelayOtherTimers() throws {
        let (blocked, others, gate) = (Counter(), Counter(), ThreadSemaphore())
        let first = try BackgroundThreads.shared.repeat(every: .milliseconds(5)) {
            blocked.add()
            gate.wait()
        }
        let second = try BackgroundThreads.shared.repeat(every: .milliseconds(5)) { others.add() }
        try blockUntil("the blocking repetition") { blocked.value == 1 }
        let before = others.value
        try blockUntil("the other repetition") { others.value > before + 10 }
        #expect(blocked.value == 1)
        first.end()
        gate.signal()
        second.end()
    }

    @Test func idleThreadIsWokenForWork() throws {
        let done = Counter()
        var longest = Duration.zero
        for number in 1...50 {
            let begin = ContinuousClock.now
            try BackgroundThreads.shared.run { done.add() }
            try blockUntil("the work") { done.value == number }
            longest = max(longest, ContinuousClock.now - begin)
        }
        // An idle thread that is not woken looks for work only after five seconds.
        #expect(longest < .seconds(4))
    }

    private final class Reference: Sendable {
        weak let counter: Counter?
        init(_ counter: Counter) { self.counter = counter }
    }

    /// Runs many work items at once, so that some of them are the first work of a new thread.
    @Test func finishedWorkIsReleasedBeforeThreadExits() throws {
        let done = Counter()
        let references = try (0..<8).map { _ in
            let (counter, gate) = (Counter(), ThreadSemaphore())
            try BackgroundThreads.shared.run {
                gate.wait()
                counter.add()
                done.add()
            }
            gate.signal()
            return Reference(counter)
        }
        try blockUntil("the work") { done.value == 8 }
        try blockUntil("the release of the work") {
            // Prevents one of the threads from ending because it is idle.
            try BackgroundThreads.shared.run {}
            return references.allSatisfy { $0.counter == nil }
        }
    }

    @Test func endedTimerReleasesItsClosure() throws {
        weak var released: Counter?
        let repetition: BackgroundThreads.Repetition
        do {
            let counter = Counter()
            released = counter
            repetition = try BackgroundThreads.shared.repeat(every: .seconds(3_600)) { counter.add() }
        }
        #expect(released != nil)
        repetition.end()
        #expect(released == nil)
    }

    @Test func longTimerDoesNotDelayShortTimer() throws {
        let counter = Counter()
        let long = try BackgroundThreads.shared.repeat(every: .seconds(3_600)) {}
        let short = try BackgroundThreads.shared.repeat(every: .milliseconds(5)) { counter.add() }
        try blockUntil("three runs of the shorter repetition") { counter.value >= 3 }
        long.end()
        short.end()
    }

    @Test func blockingWorkCompletesWithMoreCallersThanThreads() async throws {
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<500 {
                group.addTask {
                    try await withBlockingWork {
                        CurrentProcess.yield()
                        return number
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 500 * 499 / 2)
    }

    @Test func blockingWorkErrorReachesCaller() async {
        await #expect(throws: CancellationError.self) { try await withBlockingWork { throw CancellationError() } }
    }

    @Test func semaphoreCountsEarlierSignals() throws {
        let (semaphore, passed) = (ThreadSemaphore(), Counter())
        semaphore.signal()
        semaphore.signal()
        semaphore.wait()
        semaphore.wait(within: .seconds(60))
        try BackgroundThreads.shared.run {
            semaphore.wait()
            passed.add()
        }
        #expect(passed.value == 0)
        semaphore.signal()
        try blockUntil("the waiting thread") { passed.value == 1 }
    }

    @Test func semaphoreWaitTimesOut() {
        let begin = ContinuousClock.now
        ThreadSemaphore().wait(within: .milliseconds(5))
        #expect(ContinuousClock.now - begin >= .milliseconds(4))
    }
}
