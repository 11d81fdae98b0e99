import Foundation
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Tests of the lock that protects contended values.
@Suite struct LockTests {
    private struct Noncopyable: ~Copyable {
        var number = 0
        let releases: Releases
        deinit { releases.note() }
    }

    private final class Releases: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .acquiring) }
        func note() { count.add(1, ordering: .acquiringAndReleasing) }
    }

    private final class Shared: Sendable {
        let lock = Lock([Int]())
    }

    @Test func concurrentUpdatesUnderLockAreNotLost() throws {
        let (shared, ended) = (Shared(), Releases())
        for thread in 0..<16 {
            try BackgroundThreads.shared.run {
                for number in 0..<1_000 { shared.lock.withLock { $0.append(thread * 1_000 + number) } }
                ended.note()
            }
        }
        try blockUntil("the threads") { ended.value == 16 }
        #expect(Set(shared.lock.withLock { $0 }).count == 16_000)
    }

    @Test func lockIsReleasedAfterBodyThrows() {
        let lock = Lock(1)
        #expect(throws: CancellationError.self) {
            try lock.withLock { number in
                number = 2
                throw CancellationError()
            }
        }
        #expect(lock.withLock { $0 } == 2)
    }

    @Test func lockMutatesAndReleasesNoncopyableValue() {
        let releases = Releases()
        do {
            let lock = Lock(Noncopyable(releases: releases))
            lock.withLock { $0.number += 1 }
            #expect(lock.withLock { $0.number } == 1)
            #expect(releases.value == 0)
        }
        #expect(releases.value == 1)
    }
}
