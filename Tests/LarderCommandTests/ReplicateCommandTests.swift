#if Command
import Foundation
import LarderCore
import LarderDeviceStore
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

@testable import LarderCommand

@Suite struct ReplicateCommandTests {
    let fixture = ClusterFixture()
    let address = ClusterFixture.address

    /// Creates a replica with two confirmed commits, one rejected commit and one that is pending.
    private func makeReplica(_ path: String) async throws {
        let device = try DeviceStore(path: path)
        let store = try fixture.machine(device)
        try store.set(1, for: "a")
        try store.set(1, for: "b")
        try await store.exchange()
        let other = try fixture.machine(MemoryStore(), "other")
        try await other.exchange()
        try other.set(2, for: "a")
        try await other.exchange()
        #expect(try store.compareAndSet("a", expecting: 1, to: 3))
        try await store.exchange()
        try store.set(4, for: "c")
        try await device.close()
    }

    @Test(.expectsIssues(.rolledBack)) func statusOfReplicaShowsPositionAndQueue() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("r.larder")
        try await makeReplica(path)
        let table = await fixture.run("replicate", "status", path)
        #expect(table.status == 0, "\(table.complaint)")
        #expect(table.output.contains("pending commits") && table.output.contains("an expectation did not hold"))
        let facts = try await fixture.run("replicate", "status", path, "--format", "json").object()
        #expect(facts["position"] as? Int == fixture.cluster.history.count)
        #expect(facts["pending"] as? Int == 1 && facts["rejected"] as? Int == 1)
        #expect(facts["isReplicating"] as? Bool == false && facts["lastContact"] is String)
        let rejected = try #require((facts["rejectedCommits"] as? [[String: Any]])?.first)
        #expect((rejected["writes"] as? [[String: Any]])?.first?["key"] as? String == "a")
        let store = try DeviceStore(path: path)
        #expect(try store.verify().problems == [])
    }

    @Test(.expectsIssues(.rolledBack)) func statusWithClusterCountsCommitsBehind() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("r.larder")
        try await makeReplica(path)
        for number in 0..<3 { _ = await fixture.run("put", "d", "\(number)", "--store", address) }
        let arguments = ["replicate", "status", path, "--cluster", address, "--format", "json"]
        let facts = try await fixture.run(arguments).object()
        #expect(facts["behind"] as? Int == 3 && facts["needsSnapshot"] as? Bool == false)
        fixture.cluster.trimHistory()
        let trimmed = try await fixture.run(arguments).object()
        #expect(trimmed["behind"] is NSNull && trimmed["needsSnapshot"] as? Bool == true)
    }

    @Test func statusOfReplicatingProcessSaysSo() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("r.larder")
        let store = try ReplicatedStore(replica: DeviceStore(path: path), engine: fixture.cluster.engine("running"))
        let task = Task { await store.run() }
        defer { task.cancel() }
        try await waitUntil("the first contact") { store.freshness.position != nil }
        let facts = try await fixture.run("replicate", "status", path, "--format", "json").object()
        #expect(facts["isReplicating"] as? Bool == true)
    }

    @Test func statusOfOtherFilesIsRefused() async throws {
        let folder = try TemporaryDirectory()
        let store = try DeviceStore(path: folder.path("s.larder"))
        try store.set(1, for: "a")
        try await store.close()
        let run = await fixture.run("replicate", "status", folder.path("s.larder"))
        #expect(run.status == 2 && run.complaint.contains("is not a replica"))
        #expect(await fixture.run("replicate", "status", folder.path("missing.larder")).status == 1)
        #expect(await fixture.run("replicate", "status", address, "--cluster", address).status == 2)
    }

    @Test func statusOfClusterCountsEntries() async throws {
        let machine = try fixture.machine(MemoryStore())
        try machine.set(1, for: "a")
        try machine.set(.string("text"), for: "b", until: Date(timeIntervalSinceNow: 60))
        try await machine.exchange()
        let facts = try await fixture.run("replicate", "status", address, "--format", "json").object()
        #expect(facts["entries"] as? Int == 2 && facts["cluster"] as? String == "flags")
        #expect(facts["position"] as? Int == fixture.cluster.history.count)
    }

    @Test func snapshotIsADeviceStoreAndAReplica() async throws {
        let folder = try TemporaryDirectory()
        let machine = try fixture.machine(MemoryStore())
        for number in 0..<250 { try machine.set(.int(Int64(number)), for: "key\(number)") }
        try await machine.exchange()
        let path = folder.path("copy.larder")
        let run = await fixture.run("replicate", "snapshot", address, path, "--format", "json")
        #expect(run.status == 0, "\(run.complaint)")
        #expect(try run.object()["entries"] as? Int == 250)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted() == ["copy.larder"])
        #expect(await fixture.run("get", "key7", "--store", path).output == "7\n")
        let copy = try fixture.machine(DeviceStore(path: path), "copy")
        try copy.set(8, for: "key7")
        try await copy.exchange()
        try await machine.exchange()
        #expect(try machine.get("key7") == 8)
        #expect(try copy.verify().problems == [])
        #expect(await fixture.run("replicate", "snapshot", address, path).status == 2)
    }

    @Test func failedSnapshotLeavesNoFile() async throws {
        let folder = try TemporaryDirectory()
        fixture.cluster.setReachable("flags", false)
        let run = await fixture.run("replicate", "snapshot", address, folder.path("copy.larder"))
        #expect(run.status == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).isEmpty)
    }

    @Test func followPrintsEachCommit() async throws {
        let streams = Invocation.Streams()
        async let follow = fixture.run("replicate", "follow", address, "--count", "2", streams: streams)
        let machine = try fixture.machine(MemoryStore())
        let running = Task { await machine.run() }
        defer { running.cancel() }
        var number: Int64 = 0
        try await waitUntil("the commits") {
            number += 1
            try machine.set(.int(number), for: "a")
            return streams.output.split(separator: "\n").count >= 4
        }
        let run = await follow
        #expect(run.status == 0)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 4 && lines[0].hasSuffix("  1 write") && lines[1].hasPrefix("  a  int "))
    }

    @Test func followedCommitIsPrintedAsJSON() throws {
        let change = ReplicationChange(
            position: .init(revision: 41, token: 1),
            identifiers: [],
            writes: [
                .init(try StoredValue.bool(true).encoded(), key: Array("a".utf8), expiry: .init(milliseconds: 0)),
                .init(nil, key: Array("b".utf8)), .init([255, 1], key: Array("c\n".utf8)),
            ]
        )
        #expect(
            FollowedCommit(change).json
                == #"{"position":41,"writes":[{"key":"a","value":{"type":"bool","value":true},"isReadable":true,"expiry":"1970-01-01T00:00:00Z"},{"key":"b","value":null,"isReadable":true,"expiry":null},{"key":"c\n","value":null,"isReadable":false,"expiry":null}]}"#
        )
        #expect(
            FollowedCommit(change).lines == [
                "41  3 writes", "  a  bool true  until 1970-01-01T00:00:00Z", "  b  removed",
                "  \"c\\n\"  a value that this version can't read",
            ]
        )
    }
}
#endif
