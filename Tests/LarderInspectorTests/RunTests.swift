#if Inspector
import Foundation
import LarderCore
import LarderFiles
import LarderTestSupport
import LarderTesting
import Synchronization
import Testing

@testable import LarderInspector

@Suite struct RunTests {
    private func fixture(
        fileName: String? = nil,
        time: any TimeSource = .system,
        _ perform: @escaping @Sendable (String?, (StoreProgress) throws -> Void) throws -> [InspectionFact]
    ) throws -> InspectorFixture {
        try InspectorFixture(
            StubInstance { content in
                content.actions = [InspectionAction("verify", "Checks everything.", fileName: fileName)]
                content.perform = perform
            },
            time: time
        )
    }

    @Test func actionRunsAndReportsItsFacts() async throws {
        let fixture = try fixture { _, progress in
            try progress(StoreProgress(completed: 1, total: 2))
            return [InspectionFact("problems", "0")]
        }
        let run = try await fixture.run("verify")
        #expect(run["state"].string == "done")
        #expect(run["action"].string == "verify")
        #expect(run["completed"] == .number(2))
        #expect(run["total"] == .number(2))
        #expect(run["facts"][0]["value"].string == "0")
    }

    @Test func failureSaysWhy() async throws {
        let fixture = try fixture { _, _ in throw StoreError(.busy, "The store is in use. Try again.") }
        let run = try await fixture.run("verify")
        #expect(run["state"].string == "failed")
        #expect(run["message"].string == "The store is in use. Try again.")
    }

    @Test func runIsCancelledAtItsNextProgress() async throws {
        let fixture = try fixture { _, progress in
            while true { try progress(StoreProgress(completed: 1, total: 2)) }
        }
        let started = await fixture.send("POST", "/api/instances/1/actions/verify")
        let id = try started.json["run"].string
        #expect(await fixture.send("DELETE", "/api/runs/\(id)").status == 200)
        #expect(try await fixture.ended(id)["state"].string == "cancelled")
        #expect(await fixture.send("DELETE", "/api/runs/\(id)").status == 200)
        #expect(await fixture.send("GET", "/api/runs/\(id)").status == 404)
    }

    @Test func fileIsPrivateAndRemovedWithItsRun() async throws {
        let made = MadeFile()
        let fixture = try fixture(fileName: "../copy of.larder") { file, _ in
            try made.write("content", to: file)
            return []
        }
        let run = try await fixture.run("verify")
        #expect(run["file"].string == "../copy of.larder")
        let file = made.path
        #expect(try LocalFileSystem().information(at: file)?.permissions == 0o600)
        #expect(
            try LocalFileSystem().information(at: FilePath.folder(of: FilePath.folder(of: file)))?.permissions == 0o700
        )
        let answer = await fixture.send("GET", "/api/runs/\(run["run"].string)/file")
        #expect(try answer.text == "content")
        #expect(answer.header("Content-Disposition") == #"attachment; filename="_copy_of.larder""#)
        _ = await fixture.send("DELETE", "/api/runs/\(run["run"].string)")
        #expect(try LocalFileSystem().information(at: file) == nil)
    }

    @Test func filesAreRemovedAtTheEnd() async throws {
        let made = MadeFile()
        let fixture = try fixture(fileName: "copy") { file, _ in
            try made.write("", to: file)
            return []
        }
        _ = try await fixture.run("verify")
        let file = made.path
        fixture.api.close()
        await fixture.api.end(within: .seconds(60))
        #expect(try LocalFileSystem().information(at: FilePath.folder(of: FilePath.folder(of: file))) == nil)
        #expect(await fixture.send("POST", "/api/instances/1/actions/verify").status == 429)
    }

    @Test func fileOfFailedRunIsRemoved() async throws {
        let made = MadeFile()
        let fixture = try fixture(fileName: "copy") { file, _ in
            try made.write("", to: file)
            throw StoreError(.diskFull, "The disk is full. Free some space.")
        }
        let run = try await fixture.run("verify")
        #expect(run["file"] == .null)
        #expect(try LocalFileSystem().information(at: made.path) == nil)
        #expect(await fixture.send("GET", "/api/runs/\(run["run"].string)/file").status == 404)
    }

    @Test func waitingRunIsCancelledAtOnce() async throws {
        let fixture = try fixture { _, progress in
            while true { try progress(StoreProgress(completed: 1, total: 2)) }
        }
        for _ in 0..<2 { #expect(await fixture.send("POST", "/api/instances/1/actions/verify").status == 202) }
        let answer = try await fixture.send("DELETE", "/api/runs/2").json
        #expect(answer["state"].string == "cancelled")
        #expect(try await fixture.get("/api/runs/1")["state"].string == "running")
        fixture.api.close()
        await fixture.api.end(within: .seconds(60))
        #expect(try await fixture.get("/api/runs/1")["state"].string == "cancelled")
    }

    @Test func runThatDoesNotEndIsLeftBehind() async throws {
        let turns = Turns()
        let isOver = Turns()
        let fixture = try fixture { _, _ in
            turns.enter()
            while isOver.most == 0 { CurrentProcess.sleep(for: .milliseconds(1)) }
            return []
        }
        _ = await fixture.send("POST", "/api/instances/1/actions/verify")
        try await waitUntil { turns.most == 1 }
        fixture.api.close()
        await fixture.api.end(within: .milliseconds(10))
        #expect(fixture.api.runs.all()[0].state == .running)
        isOver.enter()
        _ = try await fixture.ended("1")
    }

    @Test func onlyTheLastFileOfAnInstanceIsKept() async throws {
        let made = MadeFile()
        let fixture = try fixture(fileName: "copy") { file, _ in
            try made.write("content", to: file)
            return []
        }
        _ = try await fixture.run("verify")
        let first = made.path
        _ = try await fixture.run("verify")
        try await waitUntil { fixture.api.runs.all()[0].file == nil }
        #expect(try LocalFileSystem().information(at: first) == nil)
        #expect(await fixture.send("GET", "/api/runs/1/file").status == 404)
        #expect(try await fixture.send("GET", "/api/runs/2/file").text == "content")
        fixture.api.close()
    }

    @Test func fileIsRemovedAfterSomeTime() async throws {
        let time = ManualTimeSource()
        let made = MadeFile()
        let fixture = try fixture(fileName: "copy", time: time) { file, _ in
            try made.write("content", to: file)
            return []
        }
        let run = try await fixture.run("verify")
        #expect(run["file"].string == "copy")
        try await waitUntil { time.sleeperCount == 1 }
        time.advance(by: Runs.lifetimeOfFiles)
        try await waitUntil { fixture.api.runs.all()[0].file == nil }
        try await waitUntil { try LocalFileSystem().information(at: made.path) == nil }
        #expect(try await fixture.get("/api/runs/1")["state"].string == "done")
    }

    @Test func foldersOfDeadProcessesAreRemoved() throws {
        let files = PrivateFiles()
        let folder = FilePath.folder(of: FilePath.folder(of: try files.path(for: "copy", of: "1")))
        // As if a process had been killed: the folder is there, and its lock is free.
        let left = FilePath.folder(of: folder) + "/larder-inspector-" + InspectorToken().digits
        try LocalFileSystem().createDirectory(at: left)
        try Data().write(to: URL(filePath: left + "/lock"))
        let others = PrivateFiles()
        _ = try others.path(for: "copy", of: "1")
        #expect(try LocalFileSystem().information(at: left) == nil)
        #expect(try LocalFileSystem().information(at: folder)?.permissions == 0o700)
        files.removeAll()
        others.removeAll()
        #expect(try LocalFileSystem().information(at: folder) == nil)
    }

    @Test func onlyFourActionsRunAtATime() async throws {
        let fixture = try fixture { _, progress in
            while true { try progress(StoreProgress(completed: 1, total: 2)) }
        }
        for _ in 0..<4 { #expect(await fixture.send("POST", "/api/instances/1/actions/verify").status == 202) }
        let refused = await fixture.send("POST", "/api/instances/1/actions/verify")
        #expect(refused.status == 429)
        #expect(refused.header("Retry-After") == "1")
        fixture.api.close()
        for id in 1...4 { #expect(try await fixture.ended("\(id)")["state"].string == "cancelled") }
    }

    @Test func actionsOfOneInstanceTakeTurns() async throws {
        let turns = Turns()
        let fixture = try fixture { _, _ in
            turns.enter()
            defer { turns.leave() }
            return []
        }
        for _ in 0..<4 { #expect(await fixture.send("POST", "/api/instances/1/actions/verify").status == 202) }
        for id in 1...4 { #expect(try await fixture.ended("\(id)")["state"].string == "done") }
        #expect(turns.most == 1)
    }

    @Test func onlyTheLastRunsAreRemembered() async throws {
        let fixture = try fixture { _, _ in [] }
        for _ in 0..<30 { _ = try await fixture.run("verify") }
        #expect(await fixture.send("GET", "/api/runs/1").status == 404)
        #expect(await fixture.send("GET", "/api/runs/30").status == 200)
    }

    @Test func unknownActionIsNotFound() async throws {
        let fixture = try fixture { _, _ in [] }
        #expect(await fixture.send("POST", "/api/instances/1/actions/compact").status == 404)
    }
}

/// The number of actions that run at the same time.
private final class Turns: Sendable {
    private let counts = Mutex((running: 0, most: 0))

    var most: Int { counts.withLock(\.most) }

    func enter() {
        counts.withLock { counts in
            counts.running += 1
            counts.most = max(counts.most, counts.running)
        }
    }

    func leave() { counts.withLock { $0.running -= 1 } }
}

/// The file that an action of a test has made.
private final class MadeFile: Sendable {
    private let file = Mutex("")

    var path: String { file.withLock(\.self) }

    func write(_ content: String, to path: String?) throws {
        let path = try #require(path)
        file.withLock { $0 = path }
        try Data(content.utf8).write(to: URL(filePath: path))
    }
}
#endif
