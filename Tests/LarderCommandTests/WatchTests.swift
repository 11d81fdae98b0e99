#if Command
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import Synchronization
import Testing

@Suite struct WatchTests {
    /// Runs `larder watch` on a thread until it has printed `count` changes.
    private final class Watcher: Sendable {
        let streams = Invocation.Streams()
        private let ended = Mutex<Int32?>(nil)

        init(_ path: String, _ count: Int, _ options: [String] = []) {
            Thread.detachNewThread { [self] in
                let arguments = ["watch", "--count", "\(count)", "--store", path] + options
                let status = Invocation(arguments, streams: streams).status
                ended.withLock { $0 = status }
            }
        }

        var status: Int32? { ended.withLock(\.self) }
        var lines: [Substring] { streams.output.split(separator: "\n") }
    }

    /// Changes the value under `a` until the watcher has seen enough changes, because no signal says that watching has begun.
    ///
    /// The method is not asynchronous, because it would rarely be scheduled among tests that block threads.
    private func change(_ path: String, until watcher: Watcher) throws {
        var number = 0
        try blockUntil(within: .seconds(120), "the changes") {
            number += 1
            _ = Invocation("put", "a", "\(number)", "--type", "int", "--store", path)
            return watcher.status != nil
        }
    }

    @Test(arguments: ["s.larder", "s.plist"])
    func watchPrintsChangesImmediately(name: String) throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(name)
        #expect(Invocation("put", "a", "0", "--store", path).status == 0)
        let watcher = Watcher(path, 3)
        try change(path, until: watcher)
        #expect(watcher.status == 0)
        #expect(watcher.lines.count == 3)
        // The first line may say that a commit was missed: one that was under way when watching began.
        #expect(watcher.lines.dropFirst().allSatisfy { $0.hasPrefix("a  int ") })
    }

    @Test func watchPrintsOldValueNewValueAndOriginAsJSON() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("s.larder")
        #expect(Invocation("put", "a", "0", "--store", path).status == 0)
        // The first line may say that a commit was missed: one that was under way when watching began.
        let watcher = Watcher(path, 2, ["--format", "json"])
        try change(path, until: watcher)
        #expect(watcher.status == 0)
        let line = try #require(watcher.lines.first { !$0.contains("missed") })
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["key"] as? String == "a" && object?["origin"] is String)
        #expect(object?["old"] is [String: Any] && object?["new"] is [String: Any])
    }

    @Test func interruptedWatchExitsWithStatusZero() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("s.larder")
        #expect(Invocation("put", "a", "0", "--store", path).status == 0)
        let process = Process()
        process.executableURL = try CommandRun.program()
        process.arguments = ["watch", "--store", path]
        process.environment = ["LLVM_PROFILE_FILE": "/dev/null"]
        let output = folder.url("output")
        try Data().write(to: output)
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.start()
        // If the test fails, a process that still runs would keep the tests' output open.
        defer { process.terminate() }
        let store = try DeviceStore(path: path)
        var number: Int64 = 0
        // The command handles the signal once it has printed its first line.
        try blockUntil(within: .seconds(120), "the first change") {
            number += 1
            try store.set(.int(number), for: "a")
            return try !Data(contentsOf: output).isEmpty
        }
        process.interrupt()
        try blockUntil("the command to end") { !process.isRunning }
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        #expect(try store.verify().isIntact)
    }

    @Test func watchRejectsCountBelowOne() {
        #expect(Invocation("watch", "--count", "0").status == 2)
    }
}
#endif
