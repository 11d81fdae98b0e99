#if Objects
import Dispatch
import Foundation
import LarderCore
import LarderFiles
import LarderObjects
import LarderTestSupport
import Synchronization
import Testing

/// Tests of the lock between writers, without a database.
@Suite struct WriterLockTests {
    /// Returns the folder for a process id, from which this process and its child compute the same path.
    private static func folder(_ name: String, of process: Int32) -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("larder-writer-\(name)-\(process)")
    }

    private static func lock(in folder: URL, on files: any FileSystem = .local) throws -> WriterLock {
        let path = folder.appendingPathComponent("shop.sqlite").path
        return try WriterLock(at: path, path: path, files: files)
    }

    /// Creates the folder that this process shares with its child, and removes the folder after `body`.
    private func withShared<Result>(_ name: String, _ body: (URL) async throws -> Result) async throws -> Result {
        let folder = Self.folder(name, of: getpid())
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    private static func write(_ text: String, _ name: String, in folder: URL) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name), options: .atomic)
    }

    private static func read(_ name: String, in folder: URL) -> String? {
        try? String(decoding: Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
    }

    /// Increments the number in a file, which is not atomic without a lock.
    private static func increment(in folder: URL) throws {
        let number = read("number", in: folder).flatMap { Int($0) } ?? 0
        try write("\(number + 1)", "number", in: folder)
    }

    private static func increment(_ count: Int, in folder: URL) throws {
        let lock = try lock(in: folder)
        for _ in 0..<count { try lock.holding(within: .seconds(60)) { try increment(in: folder) } }
        lock.close()
    }

    @Test func twoProcessesExcludeEachOther() async throws {
        try await withShared("two") { folder in
            async let other = #expect(processExitsWith: .success) {
                try WriterLockTests.increment(500, in: WriterLockTests.folder("two", of: getppid()))
            }
            try await onSmallThread { try Self.increment(500, in: folder) }
            _ = await other
            #expect(Self.read("number", in: folder) == "1000")
        }
    }

    @Test func threadsAndMembersOfOneProcessExcludeEachOther() async throws {
        try await withTemporaryFolder { folder in
            let locks = try [Self.lock(in: folder), Self.lock(in: folder)]
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<4 {
                    group.addTask {
                        await #expect(throws: Never.self) {
                            try await onSmallThread {
                                for _ in 0..<100 {
                                    try locks[index % 2].holding(within: .seconds(60)) {
                                        try Self.increment(in: folder)
                                    }
                                }
                            }
                        }
                    }
                }
            }
            #expect(Self.read("number", in: folder) == "400")
        }
    }

    /// Tries to acquire the lock, on a thread of its own, once another process has written its number to a file.
    ///
    /// The tasks of other tests may all wait for that process, whose pipes they share, so this must not be a task.
    ///
    /// - Returns: The number of the other process, the error, and how long the attempt took.
    private static func attempt(
        in folder: URL,
        after isReady: @escaping @Sendable (Int32) -> Bool = { _ in true },
        finally: @escaping @Sendable (Int32) throws -> Void
    ) async throws -> (holder: Int32, error: ObjectError?, took: Duration) {
        try await onSmallThread {
            try blockUntil(within: .seconds(600), "the holder") { read("holder", in: folder) != nil }
            let holder = read("holder", in: folder).flatMap { Int32($0) } ?? 0
            try blockUntil("the state of the holder") { isReady(holder) }
            let lock = try lock(in: folder)
            let began = ContinuousClock.now
            var error: ObjectError?
            do { try lock.holding(within: .milliseconds(200)) {} } catch let busy as ObjectError { error = busy }
            let took = ContinuousClock.now - began
            try finally(holder)
            try lock.holding(within: .seconds(60)) {}
            return (holder, error, took)
        }
    }

    @Test func waitEndsAfterTimeoutWithProcessID() async throws {
        try await withShared("busy") { folder in
            async let other = #expect(processExitsWith: .success) {
                let folder = WriterLockTests.folder("busy", of: getppid())
                try await onSmallThread {
                    try WriterLockTests.lock(in: folder).holding(within: .seconds(60)) {
                        try WriterLockTests.write("\(getpid())", "holder", in: folder)
                        try blockUntil("the end") { WriterLockTests.read("end", in: folder) != nil }
                    }
                }
            }
            let (holder, error, took) = try await Self.attempt(in: folder) { _ in
                try Self.write("", "end", in: folder)
            }
            _ = await other
            #expect(took >= .milliseconds(200))
            #expect(error?.code == .busy && error?.path?.hasSuffix("shop.sqlite") == true)
            #expect(error?.message.contains("process \(holder) is writing") == true)
        }
    }

    @Test func holderInSameProcessIsNamed() async throws {
        try await withTemporaryFolder { folder throws in
            let (first, second) = (try Self.lock(in: folder), try Self.lock(in: folder))
            let errors = try first.holding(within: .zero) {
                [
                    #expect(throws: ObjectError.self) { try second.holding(within: .milliseconds(5)) {} },
                    // The same lock can't be acquired twice.
                    #expect(throws: ObjectError.self) { try first.holding(within: .milliseconds(5)) {} },
                ]
            }
            for error in errors { #expect(error?.message.contains("another manager in this process") == true) }
            #expect(try second.holding(within: .zero) { true })
        }
    }

    @Test func killedHolderIsReplaced() async throws {
        try await withShared("killed") { folder in
            await #expect(processExitsWith: .signal(SIGKILL)) {
                try WriterLockTests.lock(in: WriterLockTests.folder("killed", of: getppid())).holding(within: .zero) {
                    _ = kill(getpid(), SIGKILL)
                }
            }
            let lock = try Self.lock(in: folder)
            #expect(try lock.holding(within: .seconds(60)) { true })
        }
    }

    @Test func stoppedHolderIsNamed() async throws {
        try await withShared("stopped") { folder in
            async let other = #expect(processExitsWith: .success) {
                let folder = WriterLockTests.folder("stopped", of: getppid())
                try WriterLockTests.lock(in: folder).holding(within: .zero) {
                    try WriterLockTests.write("\(getpid())", "holder", in: folder)
                    raise(SIGSTOP)
                }
            }
            let isStopped: @Sendable (Int32) -> Bool = {
                Self.read("stat", in: URL(fileURLWithPath: "/proc/\($0)"))?.contains(") T ") != false
            }
            let (holder, error, _) = try await Self.attempt(in: folder, after: isStopped) { kill($0, SIGCONT) }
            _ = await other
            #expect(error?.message.contains("process \(holder) is writing") == true)
        }
    }

    /// Without the pause after a release, a process that locks in a loop would keep others waiting for seconds.
    @Test func waiterIsNotStarvedByLoop() async throws {
        try await withShared("loop") { folder in
            async let other = #expect(processExitsWith: .success) {
                let folder = WriterLockTests.folder("loop", of: getppid())
                try await onSmallThread {
                    let lock = try WriterLockTests.lock(in: folder)
                    try WriterLockTests.write("", "begun", in: folder)
                    while WriterLockTests.read("end", in: folder) == nil {
                        for _ in 0..<1_000 {
                            try lock.holding(within: .seconds(60)) { CurrentProcess.pause(for: .microseconds(20)) }
                        }
                    }
                }
            }
            let longest = try await onSmallThread {
                try blockUntil(within: .seconds(600), "the loop") { Self.read("begun", in: folder) != nil }
                let lock = try Self.lock(in: folder)
                var longest = Duration.zero
                for _ in 0..<100 {
                    let began = ContinuousClock.now
                    try lock.holding(within: .seconds(60)) { longest = max(longest, ContinuousClock.now - began) }
                }
                try Self.write("", "end", in: folder)
                return longest
            }
            _ = await other
            // On an idle machine, the longest wait is 10 ms.
            #expect(longest < .seconds(2))
        }
    }

    @Test func lockWithoutSharedWordsWorks() async throws {
        try await withShared("network") { folder in
            let (first, second) = (
                try Self.lock(in: folder, on: PretendedNetwork()), try Self.lock(in: folder, on: PretendedNetwork())
            )
            let error = try first.holding(within: .zero) {
                #expect(throws: ObjectError.self) { try second.holding(within: .milliseconds(5)) {} }
            }
            #expect(error?.code == .busy && error?.description.contains("process \(getpid()) holds") == true)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                let folder = WriterLockTests.folder("network", of: getppid())
                try WriterLockTests.lock(in: folder, on: PretendedNetwork()).holding(within: .zero) {
                    _ = kill(getpid(), SIGKILL)
                }
            }
            #expect(try second.holding(within: .seconds(60)) { true })
        }
    }

    @Test func lockWithoutByteLocksWorks() async throws {
        try await withTemporaryFolder { folder throws in
            for _ in 0..<2 {
                let locks = (
                    try Self.lock(in: folder, on: WithoutByteLocks()), try Self.lock(in: folder, on: WithoutByteLocks())
                )
                let error = try locks.0.holding(within: .zero) {
                    #expect(WriterLock.isHeld(at: folder.appendingPathComponent("shop.sqlite").path, .local))
                    return #expect(throws: ObjectError.self) { try locks.1.holding(within: .milliseconds(5)) {} }
                }
                #expect(error?.code == .busy && error?.description.contains("process \(getpid()) holds") == true)
                #expect(!WriterLock.isHeld(at: folder.appendingPathComponent("shop.sqlite").path, .local))
                #expect(try locks.1.holding(within: .zero) { true })
                locks.0.close()
                #expect(throws: ObjectError.self) { try locks.0.holding(within: .zero) {} }
                locks.1.close()
            }
        }
    }

    /// A database that was on a network volume may be copied with its lock file.
    @Test func textOfFileLockIsReplacedByPage() async throws {
        try await withTemporaryFolder { folder throws in
            let network = try Self.lock(in: folder, on: PretendedNetwork())
            #expect(try network.holding(within: .zero) { true })
            network.close()
            let locks = (try Self.lock(in: folder), try Self.lock(in: folder))
            try locks.0.holding(within: .zero) {
                _ = #expect(throws: ObjectError.self) { try locks.1.holding(within: .milliseconds(5)) {} }
            }
            #expect(try locks.1.holding(within: .zero) { true })
        }
    }

    @Test func holderIsFoundWithoutJoining() async throws {
        try await withShared("look") { folder in
            let path = folder.appendingPathComponent("shop.sqlite").path
            #expect(!WriterLock.isHeld(at: path, .local))
            let lock = try Self.lock(in: folder)
            #expect(!WriterLock.isHeld(at: path, .local))
            try lock.holding(within: .zero) { #expect(WriterLock.isHeld(at: path, .local)) }
            #expect(!WriterLock.isHeld(at: path, .local))
            await #expect(processExitsWith: .signal(SIGKILL)) {
                try WriterLockTests.lock(in: WriterLockTests.folder("look", of: getppid())).holding(within: .zero) {
                    _ = kill(getpid(), SIGKILL)
                }
            }
            // The lock still has the number of the killed holder.
            #expect(!WriterLock.isHeld(at: path, .local))
        }
    }

    @Test func closingInForkedChildKeepsLockOfParent() async {
        await #expect(processExitsWith: .success) {
            try await withTemporaryFolder { folder throws in
                let locks = (try WriterLockTests.lock(in: folder), try WriterLockTests.lock(in: folder))
                let status = try statusOfForkedChild {
                    locks.0.close()
                    return 0
                }
                #expect(status == 0)
                let error = try locks.0.holding(within: .zero) {
                    #expect(throws: ObjectError.self) { try locks.1.holding(within: .milliseconds(200)) {} }
                }
                #expect(error?.code == .busy)
            }
        }
    }

    @Test func purposeIsNamed() async throws {
        try await withTemporaryFolder { folder throws in
            let locks = (try Self.lock(in: folder), try Self.lock(in: folder))
            let errors = try locks.0.holding(within: .zero) {
                [WriterLock.Purpose.saving, .opening].map { purpose in
                    #expect(throws: ObjectError.self) { try locks.1.holding(within: .zero, for: purpose) {} }?.message
                }
            }
            let reason = " because another manager in this process is writing to the database. Try again later."
            #expect(errors == ["Nothing was saved" + reason, "The database can't be opened" + reason])
        }
    }

    /// A process in another container may have the id of this process.
    @Test func holderWithIDOfThisProcessIsNotNecessarilyInIt() async throws {
        try await withTemporaryFolder { folder throws in
            let lock = try Self.lock(in: folder)
            let file = try LocalFileSystem().open(
                folder.appendingPathComponent("shop.sqlite-writer").path,
                FileOpenMode(isWritable: true)
            )
            #expect(try file.hold(1_000))
            try file.write([0xE8, 0x03, 0, 0], at: 64)
            try file.write(withUnsafeBytes(of: getpid()) { Array($0) }, at: 72)
            let error = #expect(throws: ObjectError.self) { try lock.holding(within: .milliseconds(30)) {} }
            #expect(error?.message.contains("another process is writing") == true)
            try file.close()
        }
    }

    @Test func truncatedLockFileIsReported() async throws {
        try await withTemporaryFolder { folder throws in
            let lock = try Self.lock(in: folder)
            #expect(try lock.holding(within: .zero) { true })
            #expect(truncate(folder.appendingPathComponent("shop.sqlite-writer").path, 0) == 0)
            let error = #expect(throws: ObjectError.self) { try lock.holding(within: .zero) {} }
            #expect(error?.code == .inaccessible && error?.message.contains("shop.sqlite-writer") == true)
            lock.close()
            #expect(try Self.lock(in: folder).holding(within: .zero) { true })
        }
    }

    @Test func fileOfAnotherProgramIsNotChanged() async throws {
        try await withTemporaryFolder { folder throws in
            let content = Data("another program's file".utf8) + Data(count: 4_096)
            let url = folder.appendingPathComponent("shop.sqlite-writer")
            try content.write(to: url)
            let error = #expect(throws: ObjectError.self) { try Self.lock(in: folder) }
            #expect(error?.code == .inaccessible && error?.message.contains("another program") == true)
            #expect(try Data(contentsOf: url) == content)
        }
    }

    @Test func closedLockAdmitsNoWriter() async throws {
        try await withTemporaryFolder { folder throws in
            let lock = try Self.lock(in: folder)
            lock.close()
            lock.close()
            let error = #expect(throws: ObjectError.self) { try lock.holding(within: .zero) {} }
            #expect(error?.code == .expired)
        }
    }
}
#endif
