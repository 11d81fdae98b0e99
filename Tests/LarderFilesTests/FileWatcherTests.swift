import Foundation
import LarderCore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Tests of the notification about files that a process writes to.
@Suite struct FileWatcherTests {
    private let directory: TemporaryDirectory
    private let watcher = FileWatcher()

    init() throws { directory = try TemporaryDirectory() }

    private final class Calls: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .acquiring) }
        func add() { count.add(1, ordering: .acquiringAndReleasing) }
    }

    /// Creates a file, and returns its path.
    private func file(_ name: String) throws -> String {
        let path = directory.path(name)
        try Data("first".utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func append(_ path: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data("x".utf8))
        try file.close()
    }

    @Test func writeInAnotherProcessIsNoticed() throws {
        let path = try file("log")
        let calls = Calls()
        let watch = try watcher.watch(path) { calls.add() }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "printf x >> \"$0\"", path]
        try process.start()
        process.waitUntilExit()
        try blockUntil("the notification") { calls.value > 0 }
        watch.end()
    }

    @Test func eachWatchOfOneFileIsNotified() throws {
        let path = try file("log")
        let link = directory.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let (first, second) = (Calls(), Calls())
        let watches = [try watcher.watch(path) { first.add() }, try watcher.watch(link) { second.add() }]
        try append(path)
        try blockUntil("both notifications") { first.value > 0 && second.value > 0 }
        watches[0].end()
        let before = second.value
        try append(path)
        try blockUntil("the notification of the other watch") { second.value > before }
        watches[1].end()
    }

    @Test func removedWatchReportsNothing() throws {
        let (path, other) = (try file("log"), try file("other"))
        let (calls, later) = (Calls(), Calls())
        let ended = try watcher.watch(path) { calls.add() }
        let watch = try watcher.watch(other) { later.add() }
        ended.end()
        ended.end()
        try append(path)
        // Events are delivered in order.
        try append(other)
        try blockUntil("the later notification") { later.value > 0 }
        #expect(calls.value == 0)
        watch.end()
    }

    @Test func endedWatchReleasesItsClosure() throws {
        let path = try file("log")
        weak var released: Calls?
        let watch: FileWatch
        do {
            let calls = Calls()
            released = calls
            watch = try watcher.watch(path) { calls.add() }
        }
        #expect(released != nil)
        watch.end()
        try blockUntil("the release") { released == nil }
    }

    @Test func watcherWorksAgainAfterItsLastWatchEnded() throws {
        let path = try file("log")
        for _ in 0..<20 {
            let calls = Calls()
            let watch = try watcher.watch(path) { calls.add() }
            try append(path)
            try blockUntil("the notification") { calls.value > 0 }
            watch.end()
        }
    }

    @Test func removedFileDoesNotEndOtherWatches() throws {
        let (path, other) = (try file("log"), try file("other"))
        let (calls, later) = (Calls(), Calls())
        let watches = [try watcher.watch(path) { calls.add() }, try watcher.watch(other) { later.add() }]
        try FileManager.default.removeItem(atPath: path)
        try append(other)
        try blockUntil("the later notification") { later.value > 0 }
        let again = try watcher.watch(try file("log")) { calls.add() }
        let before = calls.value
        try append(path)
        try blockUntil("the notification about the new file") { calls.value > before }
        for watch in watches + [again] { watch.end() }
    }

    @Test func missingFileThrowsNotFound() {
        #expect {
            try watcher.watch(directory.path("missing")) {}
        } throws: { error in
            (error as? FileError)?.code == .notFound && "\(error)".contains("Could not watch")
        }
    }

    #if os(Linux)
    @Test func overflowNotifiesEveryWatch() throws {
        let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let count = try #require(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)))
        let (blocked, gate, silent) = (Calls(), ThreadSemaphore(), Calls())
        let paths = [try file("first"), try file("second")]
        var watches = try paths.map { path in
            try watcher.watch(path) {
                blocked.add()
                if blocked.value == 1 { gate.wait() }
            }
        }
        watches.append(try watcher.watch(try file("silent")) { silent.add() })
        try append(paths[0])
        try blockUntil("the closure that blocks the thread") { blocked.value == 1 }
        let files = try paths.map { try LocalFileSystem.local.open($0, FileOpenMode(isWritable: true)) }
        // Equal events in succession are one event, so the files take turns.
        for number in 0..<count + 100 { try files[number % 2].write([0], at: 0) }
        #expect(silent.value == 0)
        gate.signal()
        try blockUntil("the notification of the third watch") { silent.value > 0 }
        for file in files { try file.close() }
        for watch in watches { watch.end() }
    }

    #if canImport(Glibc)
    private static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let openFiles = RLIMIT_NOFILE
    #endif

    /// The limit of open files has the same error number as that of instances, and affects only the process that the test starts.
    @Test func noInstanceLeftThrows() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            try #require(getrlimit(Self.openFiles, &limit) == 0)
            let before = limit.rlim_cur
            limit.rlim_cur = 3
            try #require(setrlimit(Self.openFiles, &limit) == 0)
            let error = #expect(throws: FileError.self) { _ = try FileWatcher.shared.watch("/dev/null") {} }
            limit.rlim_cur = before
            try #require(setrlimit(Self.openFiles, &limit) == 0)
            #expect(error?.code == .tooManyOpenFiles)
            #expect(error?.description.contains("max_user_instances") == true)
            try FileWatcher.shared.watch("/dev/null") {}.end()
        }
    }
    #endif
}
