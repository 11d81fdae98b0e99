#if Postgres
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderReplication
import LarderTestSupport
import LarderTestTraits
import Testing

@testable import LarderPostgres

/// A replica on a disk that fills up.
@Suite(.needsPostgres, .expectsIssues(.degraded, .rolledBack, .damaged))
struct ReplicaDiskTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Writes to a file until the disk is full.
    private func fillDisk(_ path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw ReplicaProcess.Failure(description: "\(path) can't be created.") }
        defer { try? file.close() }
        for size in [1 << 20, 1 << 12] {
            let part = Data(repeating: 1, count: size)
            while true {
                do { try file.write(contentsOf: part) } catch { break }
            }
        }
    }

    /// Only the process sees the disk, which ends with it.
    @Test(.needsMountNamespaces) func replicaOnAFullDiskLosesAndRepeatsNothing() async throws {
        let server = try await PostgresServer.shared
        let database = PostgresServer.newName("database")
        try await server.sql("CREATE DATABASE \(database)")
        let engine = try PostgresEngine(server.address(database), store: "flags")
        _ = try await engine.here()
        let disk = folder.path("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        let process = try ReplicaProcess(
            "a",
            count: 200,
            replica: disk + "/replica.larder",
            address: server.address(database),
            in: folder,
            through: MountNamespace.command(disk, megabytes: 16)
        )
        let other = try PostgresMachine(PostgresEngine(server.address(database), store: "flags"))
        try await waitUntil("the first increments") { try process.progress >= 10 }
        let seen = "/proc/\(process.identifier)/root" + disk
        try fillDisk(seen + "/filler")
        let value = StoredValue.data(Data(repeating: 7, count: 1 << 16))
        try await waitUntilAsync("the full disk") { () async throws -> Bool? in
            // Increments alone would fill too slowly what the replica has reserved.
            try await other.store.set(value, for: "large", durability: .replicated)
            _ = try process.progress
            return process.hasFoundFullDisk ? true : nil
        }
        try await other.store.set(1, for: "end", durability: .replicated)
        try FileManager.default.removeItem(atPath: seen + "/filler")
        try await waitUntil("the last increments") { try process.progress == 200 }

        let copy = folder.path("copy")
        process.freeze()
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        for file in try FileManager.default.contentsOfDirectory(atPath: seen) {
            try FileManager.default.copyItem(atPath: "\(seen)/\(file)", toPath: "\(copy)/\(file)")
        }
        try await withBlockingWork { try process.kill() }
        let machine = try PostgresMachine(engine, replica: DeviceStore(path: copy + "/replica.larder"))
        try await machine.follow(engine)
        try await other.follow(engine)
        #expect(try machine.store.verify().problems == [])
        #expect(try machine.store.rejected().isEmpty)
        #expect(try machine.store.value(Int.self, for: "count") == 200)
        #expect(try machine.store.value(Int.self, for: "own.a") == 200)
        #expect(try machine.store.entries(prefix: "done.").count == 200)
        #expect(try machine.store.get("large") == value)
        #expect(try machine.store.entries() == other.store.entries())
    }
}
#endif
