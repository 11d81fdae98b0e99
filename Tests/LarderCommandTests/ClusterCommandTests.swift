#if Command
import Foundation
import LarderCore
import LarderDeviceStore
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

@testable import LarderCommand

@Suite struct ClusterCommandTests {
    let fixture = ClusterFixture()
    let address = ClusterFixture.address

    @Test func valueIsWrittenToClusterAndReadFromIt() async throws {
        let put = await fixture.run("put", "limit", "20", "--type", "int", "--store", address)
        #expect(put.status == 0, "\(put.complaint)")
        #expect(fixture.cluster.history.count == 1)
        #expect(await fixture.run("get", "limit", "--store", address).output == "20\n")
        #expect(await fixture.run("list", "--store", address).output.contains("limit  int   20"))
        #expect(await fixture.run("get", "other", "--store", address).status == 1)
    }

    @Test func deletedKeyLeavesTheCluster() async throws {
        _ = await fixture.run("put", "a", "1", "--store", address)
        #expect(await fixture.run("delete", "a", "--store", address).status == 0)
        #expect(fixture.cluster.values.isEmpty)
    }

    @Test func exportedEntriesAreImportedInOneCommit() async throws {
        let folder = try TemporaryDirectory()
        let machine = try fixture.machine(MemoryStore())
        for number in 0..<10 { try machine.set(.int(Int64(number)), for: "key\(number)") }
        try await machine.exchange()
        let file = folder.path("copy.json")
        #expect(await fixture.run("export", file, "--store", address).status == 0)
        let other = ClusterFixture()
        #expect(await other.run("import", file, "--dry-run", "--store", address).status == 0)
        #expect(other.cluster.history.isEmpty)
        let run = await other.run("import", file, "--store", address)
        #expect(run.status == 0, "\(run.complaint)")
        #expect(other.cluster.history.count == 1)
        #expect(other.cluster.values == fixture.cluster.values)
    }

    @Test func watchPrintsCommitsOfOtherMachines() async throws {
        let streams = Invocation.Streams()
        async let watch = fixture.run("watch", "--count", "2", "--format", "json", "--store", address, streams: streams)
        let machine = try fixture.machine(MemoryStore())
        let running = Task { await machine.run() }
        defer { running.cancel() }
        var number: Int64 = 0
        // No signal says that watching has begun, so the value changes until the watcher has printed the changes.
        try await waitUntil("the changes") {
            number += 1
            try machine.set(.int(number), for: "a")
            return streams.output.split(separator: "\n").count >= 2
        }
        #expect(await watch.status == 0)
        #expect(await watch.output.contains(#""origin":"cluster""#))
    }

    @Test func statNamesTheClusterAndItsLimits() async throws {
        _ = await fixture.run("put", "a", "1", "--store", address)
        let facts = try await fixture.run("stat", "--format", "json", "--store", address).object()
        #expect(facts["kind"] as? String == "cluster" && facts["entries"] as? Int == 1)
        #expect(facts["survivesProcess"] as? Bool == true)
        #expect(await fixture.run("verify", "--store", address).output.contains("No problems"))
    }

    @Test(arguments: [["compact"], ["backup", "copy.larder"], ["repair"]])
    func commandsThatNeedAFileNameTheAlternative(arguments: [String]) async {
        let run = await fixture.run(arguments + ["--store", address])
        #expect(run.status == 2 && run.complaint.contains("larder replicate snapshot"))
    }

    @Test func unreachableClusterIsReportedWithoutWaiting() async {
        fixture.cluster.setReachable("flags", false)
        let run = await fixture.run("put", "a", "1", "--store", address)
        #expect(run.status == 2 && run.complaint.split(separator: "\n").count == 1)
        #expect(fixture.cluster.history.isEmpty)
    }

    @Test(arguments: [
        "postgresql://me:secret@host/app", "postgres://me:secret@host/app#", "postgresql://me:secret@host/app#%FF",
    ])
    func addressWithoutStoreIsRefusedWithoutPrintingIt(address: String) async {
        let run = await fixture.run("list", "--store", address)
        #expect(run.status == 2 && run.complaint.contains("names no store"))
        #expect(!run.complaint.contains("secret"))
    }

    @Test func nameOfStoreIsDecoded() throws {
        let address = try #require(try ClusterAddress("postgresql:///app?sslmode=require#my%20flags"))
        #expect(address.store == "my flags" && address.database == "postgresql:///app?sslmode=require")
        #expect(try ClusterAddress("./postgresql://x") == nil)
    }

    @Test func kindIsRefusedForAddresses() async {
        #expect(await fixture.run("list", "--kind", "device", "--store", address).status == 2)
    }

    #if Encryption
    @Test func encryptedStoreInAClusterIsWrittenAndRead() async throws {
        let folder = try TemporaryDirectory()
        let key = folder.path("key")
        try Data(String(repeating: "ab", count: 32).utf8).write(to: URL(filePath: key))
        let options = ["--key-file", key, "--store", address]
        #expect(await fixture.run(["get", "a"] + options).status == 1)
        for value in ["1", "2"] {
            let put = await fixture.run(["put", "a", value] + options)
            #expect(put.status == 0, "\(put.complaint)")
        }
        #expect(await fixture.run(["get", "a"] + options).output == "2\n")
        #expect(await fixture.run(["verify"] + options).output.contains("No problems"))
        let plain = await fixture.run("get", "a", "--store", address)
        #expect(plain.status == 2 && plain.complaint.contains("is encrypted"))
        let machine = try fixture.machine(MemoryStore())
        try await machine.exchange()
        let store = try EncryptedStore(opening: machine, keyBytes: [UInt8](repeating: 0xAB, count: 32))
        #expect(try store.get("a") == "2" && store.verify().problems == [])
    }
    #endif

    #if !Postgres
    @Test func buildWithoutPostgresSaysHowToBuildWithIt() throws {
        let run = try CommandRun("list", "--store", address)
        #expect(run.status == 2 && run.complaint.contains("--traits Command,Postgres"))
    }
    #endif
}
#endif
