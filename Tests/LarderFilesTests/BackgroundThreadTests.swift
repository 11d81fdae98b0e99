import Foundation
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Threads of Larder's own.
@Suite struct BackgroundThreadTests {
    private final class Counter: Sendable {
        let count = Atomic(0)
        var value: Int { count.load(ordering: .acquiring) }
        func add() { count.add(1, ordering: .acquiringAndReleasing) }
    }

    @Test func workRunsOnAnotherThreadThatTakesNoSignals() throws {
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

    @Test func workThatBlocksKeepsNoOtherWorkFromRunning() throws {
        let (begun, done, gate) = (Counter(), Counter(), ThreadSemaphore())
        for _ in 0..<20 {
            try BackgroundThreads.shared.run {
                begun.add()
                gate.wait()
                done.add()
            }
        }
        try blockUntil("all to begin") { begun.value == 20 }
        for _ in 0..<20 { gate.signal() }
        try blockUntil("all to end") { done.value == 20 }
    }

    @Test func repetitionsGoOnBesideOneThatBlocks() throws {
        let (blocked, others, gate) = (Counter(), Counter(), ThreadSemaphore())
        let first = try BackgroundThreads.shared.repeat(every: .milliseconds(5)) {
            blocked.add()
            gate.wait()
        }
        let second = try BackgroundThreads.shared.repeat(every: .milliseconds(5)) { others.add() }
        try blockUntil("the one that blocks") { blocked.value == 1 }
        let before = others.value
        try blockUntil("the other") { others.value > before + 10 }
        #expect(blocked.value == 1)
        first.end()
        gate.signal()
        second.end()
    }

    private final class Reference: Sendable {
        weak let counter: Counter?
        init(_ counter: Counter) { self.counter = counter }
    }

    /// Each of so many at once that some of them are what a thread was started for.
    @Test func doneWorkIsReleasedWhileItsThreadStays() throws {
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
        try blockUntil("its release") {
            // Keeps one of the threads from ending for want of work.
            try BackgroundThreads.shared.run {}
            return references.allSatisfy { $0.counter == nil }
        }
    }

    @Test func endedRepetitionReleasesItsWork() throws {
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

    @Test func repetitionIsDueInTimeBesideALongerOne() throws {
        let counter = Counter()
        let long = try BackgroundThreads.shared.repeat(every: .seconds(3_600)) {}
        let short = try BackgroundThreads.shared.repeat(every: .milliseconds(5)) { counter.add() }
        try blockUntil("the shorter one") { counter.value >= 3 }
        long.end()
        short.end()
    }

    @Test func moreCallersThanThreadsAllReturn() async throws {
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

    @Test func errorOfBlockingWorkReachesItsCaller() async {
        await #expect(throws: CancellationError.self) { try await withBlockingWork { throw CancellationError() } }
    }

    @Test func semaphoreKeepsWhatWasSignalledBefore() throws {
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

    @Test func semaphoreGivesUpWhenTheTimeIsUp() {
        let begin = ContinuousClock.now
        ThreadSemaphore().wait(within: .milliseconds(5))
        #expect(ContinuousClock.now - begin >= .milliseconds(4))
    }
}
