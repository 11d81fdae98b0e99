#if Postgres
import Foundation
import LarderCore
import LarderReplication
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

@testable import LarderPostgres

/// Connections that end after each message of each call.
@Suite(.needsPostgres, .expectsIssues(.degraded))
struct CutTests {
    /// A store in the shared server, and a network that is cut.
    private final class Place: Sendable {
        let proxy: CuttingProxy
        /// An engine that does not use the network.
        let direct: PostgresEngine
        let name = PostgresServer.newName()
        let start: ReplicationSnapshot

        init() async throws {
            let server = try await PostgresServer.shared
            proxy = try CuttingProxy(to: server.port)
            direct = try server.engine(name)
            start = try await direct.here()
        }

        /// Returns a new engine, whose connections end after a number of messages.
        func engine(store: String? = nil) throws -> PostgresEngine {
            var options = PostgresOptions()
            options.pollingInterval = .seconds(3_600)
            return try PostgresEngine(
                "postgresql://postgres@127.0.0.1:\(proxy.port)/postgres?sslmode=disable&gssencmode=disable",
                store: store ?? name,
                options: options
            )
        }

        /// Makes a call for each number of messages after which its connection may end, until it does not end, and checks each result.
        func repeating<Result: Sendable>(
            _ side: CuttingProxy.Side,
            beginningWith beginning: String? = nil,
            every step: Int = 1,
            atLeast least: Int,
            _ call: (Int) async throws -> Result,
            check: (Int, Result) async throws -> Void
        ) async throws {
            for number in stride(from: 1, through: 200, by: step) {
                proxy.cut(after: number, from: side, beginningWith: beginning)
                let result = try await call(number)
                let wasCut = proxy.stopCutting()
                try await check(number, result)
                guard wasCut else {
                    #expect(number > least)
                    return
                }
            }
            Issue.record("The call should have fewer messages.")
        }

        func changes(of engine: PostgresEngine) async throws -> [ReplicationChange] {
            let limit = ReplicationPageLimit(commits: 1_000, bytes: .max)
            let page = try await engine.changes(after: start.position, limit: limit, replica: .random(in: 1 ... .max))
            guard case .changes(let changes, _) = page else {
                Issue.record("The history should be known.")
                return []
            }
            return changes
        }
    }

    /// Repeats a call until it succeeds, because other tests may keep the server busy.
    private func again<Value>(_ call: () async throws -> Value) async throws -> Value {
        try await waitUntilAsync("the call") { try? await call() }
    }

    /// Returns the result of a call, or `nil` if it failed because its connection has ended.
    private func unlessCut<Value>(_ call: () async throws -> Value) async throws -> Value? {
        do {
            return try await call()
        } catch let error as PostgresError {
            #expect([.unreachable, .connectionLost].contains(error.code), "\(error)")
            return nil
        }
    }

    /// A snapshot connects, creates the store, and reads the entries.
    @Test(arguments: CuttingProxy.Side.allCases)
    func connectionThatEndsWhileConnectingLeavesOneStore(side: CuttingProxy.Side) async throws {
        let place = try await Place()
        // The server sends many messages that tell only settings.
        try await place.repeating(side, every: side == .server ? 3 : 1, atLeast: 20) { _ in
            let name = PostgresServer.newName()
            let engine = try place.engine(store: name)
            _ = try await unlessCut { try await engine.here() }
            return (name, engine)
        } check: { _, made in
            let (name, engine) = made
            let found = try await again { try await engine.here() }
            #expect(found.position.revision == 0)
            #expect(try await PostgresServer.shared.engine(name).here().identity == found.identity)
        }
    }

    @Test(arguments: CuttingProxy.Side.allCases)
    func commitWhoseConnectionEndsIsMadeOnceOrNever(side: CuttingProxy.Side) async throws {
        let place = try await Place()
        let made = LockedCount()
        try await place.repeating(side, beginningWith: "larder.commit(", atLeast: 4) { number in
            let engine = try place.engine()
            let sent = commit(["\(number)": "1"], drawn: place.start.instant)
            // An error says that the commit was not made and never will be.
            return (engine, sent, try await unlessCut { try await engine.commit(sent) })
        } check: { _, result in
            let (engine, sent, answer) = result
            let verdict = try await place.direct.outcome(of: sent.identifiers[0], drawn: sent.drawn)
            if let answer {
                #expect(answer.isUnknown || answer.committed == verdict.committed)
            } else {
                #expect(verdict.committed == nil)
            }
            #expect(try await again { try await engine.commit(sent) }.committed == verdict.committed)
            if verdict.committed != nil { made.increment() }
            #expect(try await place.changes(of: place.direct).count == made.count)
        }
        #expect(try await place.direct.allEntries().count == made.count)
    }

    @Test(arguments: CuttingProxy.Side.allCases)
    func outcomeWhoseConnectionEndsIsDecisive(side: CuttingProxy.Side) async throws {
        let place = try await Place()
        try await place.repeating(side, beginningWith: "larder.outcome(", atLeast: 4) { number in
            let engine = try place.engine()
            let sent = commit(["\(number)": "1"], drawn: place.start.instant)
            let answer = try await unlessCut {
                try await engine.outcome(of: sent.identifiers[0], drawn: sent.drawn)
            }
            return (engine, sent, answer)
        } check: { _, result in
            let (engine, sent, answer) = result
            let made = try await place.direct.commit(sent).committed
            // A verdict is final.
            if case .refused(.planted, _)? = answer {
                #expect(made == nil)
            } else {
                #expect(answer == nil)
            }
            let later = try await again { try await engine.outcome(of: sent.identifiers[0], drawn: sent.drawn) }
            #expect(later.committed == made)
        }
    }

    @Test(arguments: CuttingProxy.Side.allCases)
    func changesWhoseConnectionEndsAreReadAgain(side: CuttingProxy.Side) async throws {
        let place = try await Place()
        #expect(try await place.direct.commit(commit(["a": "1"])).committed != nil)
        let all = try await place.changes(of: place.direct)
        // The call trims the history before.
        try await place.repeating(side, beginningWith: "larder.maintain(", atLeast: 8) { _ in
            let engine = try place.engine()
            return (engine, try await unlessCut { try await place.changes(of: engine) })
        } check: { _, result async throws in
            let (engine, found) = result
            #expect(found == nil || found == all)
            #expect(try await again { try await place.changes(of: engine) } == all)
        }
    }

    @Test(arguments: CuttingProxy.Side.allCases)
    func waitingWhoseConnectionEndsMissesNoCommit(side: CuttingProxy.Side) async throws {
        let place = try await Place()
        try await place.repeating(side, beginningWith: "LISTEN", atLeast: 4) { number in
            let engine = try place.engine()
            let position = try await place.direct.here().position
            let hasEnded = Mutex(false)
            let waiting = Task {
                defer { hasEnded.withLock { $0 = true } }
                _ = try await unlessCut { try await engine.waitForChanges(after: position) }
            }
            let made = try await place.direct.commit(commit(["\(number)": "1"])).committed
            try await waitUntil("the end of the call") { hasEnded.withLock(\.self) }
            try await waiting.value
            return (engine, position, made)
        } check: { _, result in
            let (engine, position, made) = result
            try await again { try await engine.waitForChanges(after: position) }
            #expect(try await again { try await place.changes(of: engine) }.last?.position == made)
        }
    }
}
#endif
