import Foundation
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

struct SharedMemoryTests {
    let directory: TemporaryDirectory

    /// The shared memory, which the suite retains because a region is unmapped with its last reference, even if its address is in use.
    let shared: any MappedRegion

    init() throws {
        directory = try TemporaryDirectory()
        shared = try Self.region(of: directory)
    }

    private static func region(of directory: TemporaryDirectory) throws -> any MappedRegion {
        let mode = FileOpenMode(isWritable: true, creation: .ifMissing)
        let file = try LocalFileSystem().open(directory.path("shared"), mode)
        try file.reserve(4096)
        return try file.map(offset: 0, count: 4096, writable: true)
    }

    @Test func waitOnChangedSharedWordReturnsImmediately() throws {
        #expect(try SharedWord.wait(on: try #require(shared.bytes.baseAddress), while: 1, within: .seconds(20)))
    }

    @Test func waitOnUnchangedSharedWordTimesOut() throws {
        #expect(try !SharedWord.wait(on: try #require(shared.bytes.baseAddress), while: 0, within: .milliseconds(1)))
    }

    @Test func waiterOnAnotherMemoryMapOfFileIsWoken() throws {
        let waiting = shared
        let waking = try Self.region(of: directory)
        let isWoken = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            guard let address = waiting.bytes.baseAddress else { return }
            // The word changes before the wake, so that a late waiter sees the change.
            while waiting.bytes[0] == 0 { _ = try? SharedWord.wait(on: address, while: 0, within: .seconds(20)) }
            isWoken.signal()
        }
        waking.bytes[0] = 1
        try SharedWord.wake(try #require(waking.bytes.baseAddress))
        #expect(isWoken.wait(timeout: .now() + 10) == .success)
        withExtendedLifetime(waking) {}
    }

    #if os(Linux)
    /// Creates a new member of the lock whose word is at the beginning of the shared memory.
    private func member() throws -> (lock: SharedLock, file: any OpenFile) {
        let file = try LocalFileSystem().open(directory.path("shared"), .writing)
        let start = try #require(shared.bytes.baseAddress).assumingMemoryBound(to: Atomic<UInt32>.self)
        return (try SharedLock(word: start, lastMember: start + 1, file: file), file)
    }

    @Test func sharedMemoryLockIsExclusiveUntilReleased() throws {
        let (first, second) = (try member(), try member())
        #expect(first.lock.tryLock())
        #expect(!second.lock.tryLock())
        #expect(try second.lock.lock(within: .milliseconds(5)) == .timedOut)
        #expect(throws: FileError.self) { try second.lock.unlock() }
        try first.lock.unlock()
        #expect(try second.lock.lock(within: .zero) == .acquired)
        try second.lock.unlock()
        withExtendedLifetime((first.file, second.file)) {}
    }

    @Test func releasingSharedMemoryLockWakesWaiter() throws {
        let (first, second) = (try member(), try member())
        #expect(first.lock.tryLock())
        let outcome = Mutex<SharedLock.Outcome?>(nil)
        Thread.detachNewThread {
            let found = try? second.lock.lock(within: .seconds(600))
            outcome.withLock { $0 = found }
        }
        // The highest bit of the lock word is set while a member waits.
        try blockUntil("the waiter") { shared.bytes[3] & 0x80 != 0 }
        try first.lock.unlock()
        try blockUntil("the lock") { outcome.withLock { $0 } != nil }
        #expect(outcome.withLock { $0 } == .acquired)
        try second.lock.unlock()
    }

    /// Without the pause, a member that locks repeatedly would reacquire the lock before a sleeping member wakes up.
    @Test func releasingContendedSharedMemoryLockPausesForWaiters() throws {
        let (first, clock) = (try member(), ContinuousClock())
        #expect(first.lock.tryLock())
        // A waiter that is not awake yet.
        shared.bytes[3] |= 0x80
        let begin = clock.now
        try first.lock.unlock(SharedLock.HandOver())
        #expect(clock.now - begin >= .microseconds(500))
        #expect(first.lock.tryLock())
        try first.lock.unlock()
        withExtendedLifetime(first.file) {}
    }

    @Test func lockReportsDeadPreviousHolder() throws {
        let (first, second, third) = (try member(), try member(), try member())
        #expect(first.lock.tryLock())
        // Other members can't distinguish a closed file from a killed process.
        try first.file.close()
        #expect(try second.lock.lock(within: .seconds(20)) == .holderDied)
        #expect(try third.lock.lock(within: .zero) == .timedOut)
        try second.lock.unlock()
        #expect(try third.lock.lock(within: .zero) == .acquired)
        try third.lock.unlock()
    }
    #endif

    @Test func forkedProcessHasDifferentForkGeneration() throws {
        let before = CurrentProcess.forkGeneration
        // Swift makes fork unavailable, because a forked child may do very little. This child only compares two numbers.
        typealias Fork = @convention(c) () -> Int32
        let fork = unsafeBitCast(try #require(dlsym(dlopen(nil, RTLD_NOW), "fork")), to: Fork.self)
        let child = fork()
        if child == 0 { _exit(CurrentProcess.forkGeneration == before + 1 ? 0 : 1) }
        var status: Int32 = -1
        #expect(waitpid(child, &status, 0) == child)
        #expect(status == 0)
        #expect(CurrentProcess.forkGeneration == before)
        #expect(CurrentProcess.identifier == ProcessInfo.processInfo.processIdentifier)
    }

    @Test func bootIdentifierIsAvailable() throws {
        #expect(try LocalFileSystem().bootIdentifier().count >= 32)
        #expect(try LocalFileSystem().bootIdentifier() == LocalFileSystem().bootIdentifier())
    }

    @Test func volumeOfTemporaryFolderHasName() throws {
        #expect(try !LocalFileSystem().volume(at: directory.path).name.isEmpty)
        #expect { try LocalFileSystem().volume(at: directory.path("none")) } throws: {
            ($0 as? FileError)?.code == .notFound
        }
    }

    @Test func simulatedBootIdentifierChangesOnlyAfterPowerLoss() throws {
        let system = SimulatedFileSystem()
        #expect(try system.afterPowerLoss(seed: 1).bootIdentifier() != system.bootIdentifier())
        #expect(try system.afterProcessDeath().bootIdentifier() == system.bootIdentifier())
    }

    @Test func simulatedFileSystemReportsConfiguredVolume() throws {
        let system = SimulatedFileSystem()
        system.pretend(VolumeInformation(name: "nfs", isNetwork: true, isSafeForSharedMaps: false))
        #expect(try system.volume(at: "/").isNetwork == true)
        #expect(throws: FileError.self) { try system.volume(at: "/none") }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/flock")))
    func fileLockOfAnotherProcessIsHeldUntilProcessExits() async throws {
        let path = directory.path("l")
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        other.arguments = ["-o", path, "cat"]
        let input = Pipe()
        other.standardInput = input
        other.standardOutput = FileHandle.nullDevice
        try other.start()
        let lock = LockFile(at: path)
        try await waitUntil("the other process to lock") {
            do {
                try lock.acquire(within: .zero).release()
                return false
            } catch let error as FileError where error.code == .busy {
                return true
            }
        }
        kill(other.processIdentifier, SIGKILL)
        try await waitUntil("the lock to be free") { (try? lock.acquire(within: .zero)) != nil }
        try input.fileHandleForWriting.close()
    }
}
