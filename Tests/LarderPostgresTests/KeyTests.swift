#if Postgres
import LarderCore
import LarderReplication
import Testing

@testable import LarderPostgres

/// Keys and values that other databases refuse, and those that PostgreSQL does.
@Suite(.needsPostgres)
struct KeyTests {
    @Test func keysMayBeEmptyAndContainAnyByte() async throws {
        let engine = try await PostgresServer.shared.engine(PostgresServer.newName())
        let start = try await engine.here().position
        let keys: [[UInt8]] = [[], [0], [0, 0], Array("'\\\"$1%\n".utf8), [0x41, 0], [0xFF], [0xFF, 0xFF]]
        var commit = commit()
        commit.writes = keys.map { .init($0, key: $0) }
        #expect(try await engine.commit(commit).committed != nil)
        #expect(try await engine.allEntries().map(\.key) == keys)
        let limit = ReplicationPageLimit(commits: 1, bytes: 1)
        guard case .changes(let changes, _) = try await engine.changes(after: start, limit: limit, replica: 1) else {
            Issue.record("The history should be known.")
            return
        }
        #expect(changes.map(\.writes) == [commit.writes])
        for prefix in [[], [0xFF], [0xFF, 0xFF], [0x41]] as [[UInt8]] {
            let pairs = keys.filter { $0.starts(with: prefix) }.map { ReplicationCommit.Pair(key: $0, value: $0) }
            var listing = Self.empty
            listing.expectations = [.entries(pairs, prefix: prefix)]
            #expect(try await engine.commit(listing).committed != nil, "\(prefix)")
        }
    }

    private static var empty: ReplicationCommit { commit() }

    @Test func listingThatNoStoreHasIsRefused() async throws {
        let engine = try await PostgresServer.shared.engine(PostgresServer.newName())
        var writing = commit(["a": "1", "b": "2"])
        writing.writes.append(.init([3], key: Array("\u{0}larder.x".utf8)))
        #expect(try await engine.commit(writing).committed != nil)
        func pair(_ key: String, _ value: [UInt8]) -> ReplicationCommit.Pair {
            .init(key: Array(key.utf8), value: value)
        }
        let (a, b, reserved) = (pair("a", [0x31]), pair("b", [0x32]), pair("\u{0}larder.x", [3]))
        for wrong in [[b, a], [a, a], [a, b, b], [reserved, a, b], [reserved], [a]] {
            var commit = Self.empty
            commit.expectations = [.entries(wrong, prefix: [])]
            guard case .refused(.expectation, _) = try await engine.commit(commit) else {
                Issue.record("The listing should be refused: \(wrong)")
                continue
            }
        }
    }

    @Test func keyThatIsTooLongIsRefused() async throws {
        let engine = try await PostgresServer.shared.engine(PostgresServer.newName())
        // Random bytes, because PostgreSQL compresses the keys in an index.
        let key = (0..<engine.limits.keyLength).map { _ in UInt8.random(in: 0 ... .max) }
        var (longest, longer) = (commit(), commit())
        longest.writes = [.init([], key: key)]
        longer.writes = [.init([], key: key + [0])]
        #expect(try await engine.commit(longest).committed != nil)
        guard case .refused(.invalid, _) = try await engine.commit(longer) else {
            Issue.record("The key should be refused.")
            return
        }
        #expect(try await engine.allEntries().map(\.key) == [key])
    }

    @Test func whatTheServerCannotStoreIsRefusedForGood() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        let engine = try server.engine(name)
        _ = try await engine.here()
        // The index can't hold keys of 2,700 random bytes. A program with other limits must not send them forever.
        let connection = try Self.connector(server, name).connect()
        let key = (0..<5_000).map { _ in UInt8.random(in: 0 ... .max) }
        let error = #expect(throws: PostgresError.self) {
            _ = try connection.connection.run(
                "SELECT answer FROM larder.commit($1, $2, NULL, 1, '{}', '{}', '{}', '{}', '{}', $3, $3, '{NULL}')",
                [.int4(connection.store), .bytesArray([[1]]), .bytesArray([key])]
            )
        }
        #expect(error?.state?.hasPrefix("54") == true)
        #expect(!connection.connection.isBroken)
        #expect(try await engine.here().position.revision == 0)
    }

    private static func connector(_ server: PostgresServer, _ store: String) throws -> PostgresConnector {
        PostgresConnector(
            try PostgresAddress(server.address(), timeout: .seconds(10)),
            store: store,
            PostgresOptions(),
            PostgresSchema.installation
        )
    }

    @Test func snapshotIsReadInParts() async throws {
        let engine = try await PostgresServer.shared.engine(PostgresServer.newName())
        var large = commit()
        // Each is larger than a part.
        large.writes = (0..<3).map { .init([UInt8](repeating: 7, count: 5 << 20), key: [$0]) }
        #expect(try await engine.commit(large).committed != nil)
        let parts = LockedCount()
        _ = try await engine.snapshot { part in
            #expect(part.count == 1)
            parts.increment()
        }
        #expect(parts.count == 3)
        struct Full: Error {}
        await #expect(throws: Full.self) { try await engine.snapshot { _ in throw Full() } }
    }
}
#endif
