#if Command
import Foundation
import LarderCore
import LarderStores
import LarderTestSupport
import Testing

@Suite struct WatchTests {
    /// Runs `larder watch` on a thread of its own until it has printed `count` changes.
    private func watch(
        _ path: String,
        _ count: Int,
        _ options: [String] = []
    ) -> (Invocation.Streams, Task<Int32, Never>) {
        let streams = Invocation.Streams()
        let task = Task {
            await withCheckedContinuation { (continuation: CheckedContinuation<Int32, Never>) in
                Thread.detachNewThread {
                    let arguments = ["watch", "--count", "\(count)", "--store", path] + options
                    continuation.resume(returning: Invocation(arguments, streams: streams).status)
                }
            }
        }
        return (streams, task)
    }

    @Test(arguments: ["s.larder", "s.plist"])
    func changesArePrintedAsTheyAreMade(name: String) async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(name)
        #expect(Invocation("put", "a", "0", "--store", path).status == 0)
        let (streams, task) = watch(path, 3)
        // Until the observation has begun nothing is printed: write until something is.
        var number = 0
        try await waitUntil("the first change") {
            number += 1
            _ = Invocation("put", "a", "\(number)", "--type", "int", "--store", path)
            return !streams.output.isEmpty
        }
        try await waitUntil("the last change") {
            number += 1
            _ = Invocation("put", "a", "\(number)", "--type", "int", "--store", path)
            return streams.output.split(separator: "\n").count == 3
        }
        #expect(await task.value == 0)
        #expect(streams.output.split(separator: "\n").allSatisfy { $0.hasPrefix("a  int ") })
    }

    @Test func jsonHasOldAndNewValueAndOrigin() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("s.larder")
        #expect(Invocation("put", "a", "0", "--store", path).status == 0)
        let (streams, task) = watch(path, 1, ["--format", "json"])
        var number = 0
        try await waitUntil("a change") {
            number += 1
            _ = Invocation("put", "a", "\(number)", "--store", path)
            return !streams.output.isEmpty
        }
        #expect(await task.value == 0)
        let line = try #require(streams.output.split(separator: "\n").first)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["key"] as? String == "a" && object?["origin"] is String)
        #expect(object?["old"] is [String: Any] && object?["new"] is [String: Any])
    }

    @Test func interruptingEndsItWithStatusZero() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("s.larder")
        #expect(Invocation("put", "a", "0", "--store", path).status == 0)
        let process = Process()
        process.executableURL = try CommandRun.program()
        process.arguments = ["watch", "--store", path]
        process.environment = ["LLVM_PROFILE_FILE": "/dev/null"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        // Once it has printed something it listens for the signal.
        let store = try DeviceStore(path: path)
        let first = Task.detached { pipe.fileHandleForReading.availableData }
        var number: Int64 = 0
        let writer = Task {
            while !Task.isCancelled {
                number += 1
                try store.set(.int(number), for: "a")
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        #expect(await !first.value.isEmpty)
        process.interrupt()
        process.waitUntilExit()
        writer.cancel()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        #expect(try store.verify().isIntact)
    }

    @Test func aCountBelowOneIsBadUsage() {
        #expect(Invocation("watch", "--count", "0").status == 2)
    }
}
#endif
