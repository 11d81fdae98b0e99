#if Postgres
import Foundation
import LarderCore
import LarderDeviceStore
import LarderReplication
import LarderTestSupport
import LarderTestTraits
import Testing

@testable import LarderPostgres

/// A replica that is restored from a backup.
@Suite(.needsPostgres, .expectsIssues(.degraded, .rolledBack))
struct RestoreTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test func restoredReplicaLosesAndRepeatsNothing() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        let engine = try server.engine(name)
        _ = try await engine.here()
        let (path, backup) = (folder.path("replica.larder"), folder.path("backup.larder"))

        /// Replicates until the cluster has everything, between two other steps.
        func run(
            before: (ReplicatedStore) async throws -> Void = { _ in },
            after: (ReplicatedStore) async throws -> Void = { _ in }
        ) async throws {
            let replica = try DeviceStore(path: path)
            let machine = try PostgresMachine(server.engine(name), replica: replica)
            try await before(machine.store)
            try await machine.follow(engine)
            try await after(machine.store)
            try await machine.follow(engine)
            await machine.stop()
            try await replica.close()
        }
        func increment(_ store: ReplicatedStore, _ key: StoreKey) throws {
            let last = try store.get(key)
            guard case .int(let number) = last ?? .int(0) else { return }
            #expect(try store.compareAndSet(key, expecting: last, to: .int(number + 1)))
        }
        try await run { try increment($0, "count") }
        // The backup contains commits that the cluster gets only later.
        do {
            let replica = try DeviceStore(path: path)
            let store = try ReplicatedStore(replica: replica, engine: engine)
            for _ in 0..<5 { try increment(store, "count") }
            try store.set("waiting", for: "word")
            try replica.backup(to: backup)
            try await replica.close()
        }
        try await run { store in
            for _ in 0..<5 { try increment(store, "count") }
        } after: { store in
            try await store.set("later", for: "word", durability: .replicated)
            try await store.set(1, for: "new", durability: .replicated)
        }
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file.hasPrefix("replica") {
            try FileManager.default.removeItem(atPath: folder.path(file))
        }
        try FileManager.default.copyItem(atPath: backup, toPath: path)
        try await run { store in
            // New commits at the places of those that were lost with the file.
            try store.set(2, for: "own")
            try await store.set(3, for: "other", durability: .replicated)
        } after: { store in
            try increment(store, "count")
        }
        try await run(after: { store throws in
            #expect(
                try store.entries()
                    == [
                        .init(key: "count", value: 12), .init(key: "new", value: 1), .init(key: "other", value: 3),
                        .init(key: "own", value: 2), .init(key: "word", value: "later"),
                    ]
            )
            #expect(try store.rejected().isEmpty)
            #expect(try store.verify().problems == [])
        })
        let entries = try await engine.allEntries()
        #expect(entries.first { $0.key == Array("count".utf8) }?.value == (try StoredValue.int(12).encoded()))
        let written = try await server.sql(
            "SELECT count(*) FROM larder.change c JOIN larder.store s ON s.id = c.store WHERE s.name = '\(name)' AND c.key = 'word'"
        )
        #expect(written == [["2"]])
    }
}
#endif
