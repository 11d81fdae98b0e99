#if Objects
import Foundation
import LarderFiles
import LarderObjects
import LarderTestSupport
import Synchronization
import Testing

/// Tests of when a manager reads what other connections have committed.
@Suite struct SharedFileWatchTests {
    private let directory: TemporaryDirectory
    private let log: String

    init() throws {
        directory = try TemporaryDirectory()
        log = directory.path("shop.sqlite-wal")
        try Data().write(to: URL(fileURLWithPath: log))
    }

    /// The times at which the log was read.
    private final class Reads: Sendable {
        private let times = Mutex<[ContinuousClock.Instant]>([])
        var count: Int { times.withLock(\.count) }
        var pauses: [Duration] { times.withLock { times in zip(times.dropFirst(), times).map { $0 - $1 } } }
        func add() { times.withLock { $0.append(.now) } }
    }

    private func write() throws {
        let file = try LocalFileSystem.local.open(log, FileOpenMode(isWritable: true))
        try file.write([1], at: 0)
        try file.close()
    }

    @Test func writeIsReadAtOnceAndLaterAgain() throws {
        let reads = Reads()
        let watch = try SharedFileWatch(log: log, files: .local) { reads.add() }
        #expect(watch.failure == nil && !watch.isFollowing)
        try write()
        try blockUntil("the first read") { reads.count > 0 }
        try blockUntil("the last read") { !watch.isFollowing }
        #expect((2...12).contains(reads.count))
        watch.end()
    }

    @Test func manyWritesCauseFewReads() throws {
        let reads = Reads()
        let watch = try SharedFileWatch(log: log, files: .local) { reads.add() }
        let end = ContinuousClock.now + .milliseconds(300)
        var writes = 0
        while ContinuousClock.now < end {
            try write()
            writes += 1
        }
        try blockUntil("the last read") { !watch.isFollowing }
        #expect(reads.pauses.allSatisfy { $0 >= .milliseconds(20) })
        #expect(writes > reads.count)
        watch.end()
    }

    @Test func laterWriteIsReadWithoutDelay() throws {
        // A busy machine may delay a read, but without the write there are 320 ms between the fifth and the sixth read.
        let hasShortPause = try (0..<10).contains { _ in
            let reads = Reads()
            let watch = try SharedFileWatch(log: log, files: .local) { reads.add() }
            defer { watch.end() }
            try write()
            try blockUntil("several reads") { reads.count >= 5 }
            try write()
            try blockUntil("the next read") { reads.count >= 6 }
            return reads.pauses[4] < .milliseconds(320)
        }
        #expect(hasShortPause)
    }

    @Test func endedWatchReadsNothing() throws {
        let reads = Reads()
        let watch = try SharedFileWatch(log: log, files: .local) { reads.add() }
        try write()
        try blockUntil("the first read") { reads.count > 0 }
        watch.end()
        try blockUntil("the end") { !watch.isFollowing }
        let count = reads.count
        try write()
        let other = try SharedFileWatch(log: log, files: .local) { reads.add() }
        try write()
        try blockUntil("the read of the other watch") { reads.count > count }
        #expect(!watch.isFollowing)
        other.end()
    }

    @Test func logThatCannotBeWatchedIsPolled() throws {
        let reads = Reads()
        let watch = try SharedFileWatch(log: directory.path("missing"), files: .local) { reads.add() }
        #expect((watch.failure as? FileError)?.code == .notFound)
        try blockUntil("two reads") { reads.count >= 2 }
        #expect(reads.pauses.allSatisfy { $0 >= .milliseconds(500) })
        watch.end()
    }

    @Test func readingContinuesWhileWriterIsAtWork() throws {
        let reads = Reads()
        let isWriting = Mutex(true)
        let watch = try SharedFileWatch(
            log: log,
            files: .local,
            isWriting: { isWriting.withLock(\.self) },
            read: { reads.add() }
        )
        try write()
        // Without the writer, the sixth read is the last one.
        try blockUntil("a read after the last one") { reads.count >= 7 }
        isWriting.withLock { $0 = false }
        try blockUntil("the last read") { !watch.isFollowing }
        watch.end()
    }

    @Test func notedWriteIsRead() throws {
        let reads = Reads()
        let watch = try SharedFileWatch(log: log, files: .local) { reads.add() }
        watch.noteWrite()
        try blockUntil("several reads") { reads.count >= 3 }
        watch.end()
    }

    @Test func networkVolumeIsAlsoPolled() throws {
        let reads = Reads()
        let watch = try SharedFileWatch(log: log, files: PretendedNetwork()) { reads.add() }
        #expect(watch.failure == nil)
        // Nothing is written in this system.
        try blockUntil("two reads") { reads.count >= 2 }
        #expect(reads.pauses.allSatisfy { $0 >= .milliseconds(500) })
        let count = reads.count
        try write()
        try blockUntil("the reads after a write") { reads.count >= count + 3 }
        watch.end()
    }

    #if os(Linux)
    /// Makes each new thread request a stack that is larger than the address space.
    private static func setStack(_ bytes: Int) throws {
        typealias SetDefault = @convention(c) (UnsafePointer<pthread_attr_t>) -> Int32
        // A function in glibc that Swift does not import.
        let function = try #require(dlsym(nil, "pthread_setattr_default_np"))
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        pthread_attr_setstacksize(attributes, bytes)
        #expect(unsafeBitCast(function, to: SetDefault.self)(attributes) == 0)
        pthread_attr_destroy(attributes)
    }

    @Test func writeIsReadOnceIfNoThreadCanBeStarted() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryDirectory()
            let log = folder.path("shop.sqlite-wal")
            try Data().write(to: URL(fileURLWithPath: log))
            let reads = Reads()
            let watch = try SharedFileWatch(log: log, files: .local) { reads.add() }
            try SharedFileWatchTests.setStack(1 << 47)
            watch.noteWrite()
            #expect(reads.count == 1 && !watch.isFollowing)
            try SharedFileWatchTests.setStack(8 << 20)
            watch.noteWrite()
            try await waitUntil("the reads of a thread") { reads.count >= 4 }
            watch.end()
        }
    }
    #endif
}
#endif
