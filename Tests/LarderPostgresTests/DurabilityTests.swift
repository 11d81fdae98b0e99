#if Postgres
import LarderReplication
import LarderTestTraits
import Synchronization
import Testing

@testable import LarderPostgres

/// One server that writes to its disk as in production, and that is killed.
@Suite(.needsPostgres)
struct DurabilityTests {
    /// What a program knows of its commits.
    private final class Log: Sendable {
        let confirmed = Mutex<[Int]>([])
        /// The commit that was under way when the server was killed.
        let unknown = Mutex<ReplicationCommit?>(nil)
    }

    @Test func everyConfirmedCommitIsThereAfterTheServerWasKilled() async throws {
        let server = try await PostgresServer(settings: ["fsync": "on", "full_page_writes": "on"])
        let names = ["one", "two", "three"]
        var engines: [PostgresEngine] = []
        for name in names { engines.append(try await server.connectedEngine(name)) }
        let logs = names.map { _ in Log() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (engine, log) in zip(engines, logs) {
                group.addTask {
                    for number in 0... {
                        let sent = commit(["\(number)": "1"])
                        guard let answer = try? await engine.commit(sent) else { return }
                        guard answer.committed != nil else { return log.unknown.withLock { $0 = sent } }
                        log.confirmed.withLock { $0.append(number) }
                    }
                }
            }
            group.addTask {
                try await waitUntilAsync("the first commits") {
                    logs.allSatisfy { $0.confirmed.withLock { $0.count >= 20 } } ? true : nil
                }
                // While others are under way.
                try server.kill()
            }
            try await group.waitForAll()
        }
        try await server.restart()
        for (engine, log) in zip(engines, logs) {
            let sure = Set(log.confirmed.withLock(\.self).map { Array("\($0)".utf8) })
            let found = try await waitUntilAsync("the server") { try? await engine.allEntries() }
            #expect(sure.subtracting(found.map(\.key)).isEmpty)
            // At most the one that was under way is there in addition.
            #expect(found.count <= sure.count + 1)
            guard let sent = log.unknown.withLock(\.self) else { continue }
            let verdict = try await engine.outcome(of: sent.identifiers[0], drawn: nil)
            #expect((verdict.committed != nil) == (found.count == sure.count + 1))
            #expect(try await engine.commit(sent).committed == verdict.committed)
        }
    }
}
#endif
