#if Postgres && Command
import Foundation
import LarderCore
import LarderReplication
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

@testable import LarderCommand
@testable import LarderPostgres

/// The commands of `larder` on a store in PostgreSQL.
@Suite(.needsPostgres)
struct CommandTests {
    /// What a command has printed so far.
    private final class Streams: Sendable {
        private let bytes = Mutex((output: Data(), error: Data()))

        func write(_ data: Data) { bytes.withLock { $0.output += data } }
        func writeError(_ data: Data) { bytes.withLock { $0.error += data } }
        var output: String { bytes.withLock { String(decoding: $0.output, as: UTF8.self) } }
        var complaint: String { bytes.withLock { String(decoding: $0.error, as: UTF8.self) } }
    }

    /// Runs a command line on a thread of its own, because commands block their thread while the server works.
    @discardableResult
    private func run(
        _ arguments: String...,
        status: Int32 = 0,
        streams: Streams = Streams()
    ) async -> (output: String, complaint: String) {
        let found: Int32 = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let console = Console(
                    write: { streams.write($0) },
                    writeError: { streams.writeError($0) },
                    readInput: { Data() },
                    isTerminal: false,
                    showsProgress: false
                )
                continuation.resume(
                    returning: withIssueHandler({ _ in }) { Program.run(arguments, console: console) }
                )
            }
        }
        #expect(found == status, "\(arguments): \(streams.complaint)")
        return (streams.output, streams.complaint)
    }

    private func address(_ server: PostgresServer, _ store: String) -> String { server.address() + "#" + store }

    @Test func commandsReadAndWriteAStoreInPostgreSQL() async throws {
        let server = try await PostgresServer.shared
        let names = [PostgresServer.newName(), PostgresServer.newName()]
        let (store, copy) = (address(server, names[0]), address(server, names[1]))
        // The first write creates the store, and reading does not.
        #expect(await run("get", "a", "--store", store, status: 1).complaint.contains("no such store"))
        await run("put", "limit", "20", "--type", "int", "--store", store)
        await run("put", "name", "x", "--store", store)
        #expect(await run("get", "limit", "--store", store).output == "20\n")
        await run("get", "other", "--store", store, status: 1)
        #expect(await run("list", "--store", store).output.contains("limit  int"))

        let folder = try TemporaryDirectory()
        let file = folder.path("copy.json")
        await run("export", file, "--store", store)
        await run("import", file, "--store", copy)
        #expect(try await server.engine(names[1]).allEntries() == server.engine(names[0]).allEntries())
        await run("delete", "name", "--store", copy)
        #expect(try await server.engine(names[1]).allEntries().count == 1)

        let status = await run("replicate", "status", "--format", "json", store)
        #expect(status.output.contains(#""position":2"#) && status.output.contains(#""entries":2"#))
        // No command was noted as a replica.
        #expect(try await server.engine(names[0]).status().replicas.isEmpty)
    }

    @Test func watchPrintsCommitsOfOtherMachines() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        let engine = try server.engine(name)
        _ = try await engine.here()
        let streams = Streams()
        let store = address(server, name)
        async let watch = run("watch", "--count", "2", "--format", "json", "--store", store, streams: streams)
        let machine = try PostgresMachine(server.engine(name))
        var number: Int64 = 0
        // No signal says that watching has begun, so the value changes until the watcher has printed the changes.
        try await waitUntil("the changes") {
            number += 1
            try machine.store.set(.int(number), for: "a")
            return streams.output.split(separator: "\n").count >= 2
        }
        #expect(await watch.output.contains(#""origin":"cluster""#))
        #expect(try machine.store.verify().problems == [])
    }

    @Test func readingOneValueReadsNothingElse() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        let store = address(server, name)
        let engine = try server.engine(name)
        _ = try await engine.here()
        let now = try await engine.here().instant
        var commit = commit()
        let value = try StoredValue.int(7).encoded()
        commit.writes = [
            .init(value, key: Array("a".utf8)),
            .init(value, key: Array("old".utf8), expiry: ReplicationInstant(milliseconds: now.milliseconds - 1)),
            // A key of another program, at which a command fails that reads all entries.
            .init(value, key: [0x61, 0xFF]),
        ]
        #expect(try await engine.commit(commit).committed != nil)
        #expect(await run("get", "a", "--store", store).output == "7\n")
        await run("get", "old", "--store", store, status: 1)
        await run("get", "b", "--store", store, status: 1)
        #expect(await run("list", "--store", store, status: 2).complaint.contains("61ff"))
    }
}
#endif
