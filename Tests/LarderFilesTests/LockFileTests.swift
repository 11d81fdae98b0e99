import Foundation
import LarderCore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

struct LockFileTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A time source whose time advances only while a thread sleeps.
    private final class SleepingTime: TimeSource {
        private let elapsed = Mutex(Duration.zero)
        var now: Date { Date(timeIntervalSince1970: 0) }
        var monotonic: Duration { elapsed.withLock { $0 } }
        func sleep(for duration: Duration) async throws { advance(by: duration) }
        func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }
    }

    @Test func acquiringBusyLockFileTimesOutAndNamesHolder() throws {
        let time = SleepingTime()
        let lock = LockFile(at: directory.path("l"), time: time) { time.advance(by: $0) }
        let held = try lock.acquire()
        #expect {
            try lock.acquire()
        } throws: { error in
            let error = error as? FileError
            let holder = "process \(ProcessInfo.processInfo.processIdentifier) holds the lock"
            return error?.code == .busy && error?.detail == holder
        }
        #expect(time.monotonic == .seconds(5))
        held.release()
        held.release()
        try lock.acquire(within: .zero).release()
    }

    @Test func sharedLockFileHoldersDoNotExcludeEachOther() throws {
        let lock = LockFile(at: directory.path("l"))
        let first = try lock.acquire(.shared, within: .zero)
        let second = try lock.acquire(.shared, within: .zero)
        #expect {
            try lock.acquire(within: .zero)
        } throws: { ($0 as? FileError)?.detail == "another process holds the lock" }
        first.release()
        second.release()
    }

    @Test func lockFileIsReleasedAfterClosureThrows() throws {
        let lock = LockFile(at: directory.path("l"))
        #expect(throws: CancellationError.self) { try lock.withLock { throw CancellationError() } }
        #expect(try lock.withLock(within: .zero) { 7 } == 7)
    }

    #if os(Linux)
    /// A child process that is being started has a copy of every descriptor until it calls exec.
    @Test func lockFileIsReleasedDespiteDuplicatedDescriptor() throws {
        let path = directory.path("l")
        let held = try LockFile(at: path).acquire()
        let copy = try DescriptorCopy(of: path)
        held.release()
        try LockFile(at: path).acquire(within: .zero).release()
        withExtendedLifetime(copy) {}
    }
    #endif

    @Test func lockFileExcludesOtherThreads() throws {
        let lock = LockFile(at: directory.path("l"))
        let inside = Atomic<Int>(0)
        let most = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<20 {
                #expect(throws: Never.self) {
                    try lock.withLock(within: .seconds(60)) {
                        most.max(inside.wrappingAdd(1, ordering: .relaxed).newValue, ordering: .relaxed)
                        inside.wrappingSubtract(1, ordering: .relaxed)
                    }
                }
            }
        }
        #expect(most.load(ordering: .relaxed) == 1)
    }

    @Test func lockFileInMissingFolderThrowsNotFound() {
        #expect { try LockFile(at: directory.path("no/l")).acquire() } throws: { ($0 as? FileError)?.code == .notFound }
    }

    @Test func forkedChildDoesNotExchangeLockOfParent() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let lock = LockFile(at: directory.path("l"))
            let held = try lock.acquire(.shared)
            // Swift makes fork unavailable, because a forked child may do very little. This child makes at most two system calls.
            typealias Fork = @convention(c) () -> Int32
            let fork = unsafeBitCast(try #require(dlsym(dlopen(nil, RTLD_NOW), "fork")), to: Fork.self)
            let child = fork()
            if child == 0 { _exit(held.becomeExclusive() ? 1 : 0) }
            var status: Int32 = -1
            #expect(waitpid(child, &status, 0) == child)
            #expect(status == 0)
            // The parent's lock is still shared.
            try lock.acquire(.shared, within: .zero).release()
            #expect(held.becomeExclusive())
            held.release()
        }
    }
}
