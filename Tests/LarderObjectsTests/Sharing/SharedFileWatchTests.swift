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
}
#endif
