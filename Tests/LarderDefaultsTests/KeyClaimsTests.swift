import Foundation
import LarderCore
import Synchronization
import Testing

@testable import LarderDefaults

/// Tests how long a thread waits for another thread's claim on a key, in simulated turns that take no time.
struct KeyClaimsTests {
    private final class Turns: Sendable {
        let short = Atomic(0)
        let long = Atomic(0)
    }

    private let turns = Turns()
    private let place = KeyClaims.Place.name(UUID().uuidString, kind: "test")
    private let claims: KeyClaims
    private let key: StoreKey = "k"

    init() {
        // Each test has a separate table, because keys that share a word wait for each other.
        claims = KeyClaims(of: place, table: WordTable()) { [turns] isShort in
            if isShort { turns.short.add(1, ordering: .relaxed) } else { turns.long.add(1, ordering: .relaxed) }
        }
    }

    /// Runs `body` on a new thread.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    private func claim(isWithCaller: Bool = true) async -> KeyClaims.Claim {
        await onThread { [claims, key] in claims.claim(key, isWithCaller: isWithCaller) }
    }

    /// Returns the numbers of short and long turns since the last call.
    private func takeTurns() -> [Int] {
        [turns.short.exchange(0, ordering: .relaxed), turns.long.exchange(0, ordering: .relaxed)]
    }

    @Test func threadTakesOverKeyClaimAfter250Milliseconds() async {
        let first = await claim()
        #expect(takeTurns() == [0, 0])
        #expect(claims.isHeld(key))
        let second = await claim()
        #expect(takeTurns() == [50, 250])
        // Ending a claim that another thread has taken over has no effect.
        first.end()
        let third = await claim()
        #expect(takeTurns() == [50, 250])
        second.end()
        third.end()
        third.end()
        #expect(!claims.isHeld(key))
        await claim().end()
        #expect(takeTurns() == [0, 0])
        #expect(KeyClaims.sleepInterval * 250 == .milliseconds(250))
    }

    @Test func threadWaitsForCommitUntilStoreTimesOut() async {
        let first = await claim(isWithCaller: false)
        let second = await claim()
        #expect(takeTurns() == [50, 30_000])
        second.end()
        let third = await claim()
        third.note(isWithCaller: false)
        await claim().end()
        #expect(takeTurns() == [50, 30_000])
        // The claim now belongs to another thread.
        third.note(isWithCaller: true)
        third.end()
        first.end()
        #expect(!claims.isHeld(key))
    }

    @Test func threadDoesNotWaitForOwnKeyClaim() async {
        await onThread { [claims, key] in
            let outer = claims.claim(key, isWithCaller: true)
            let inner = claims.claim(key, isWithCaller: true)
            inner.end()
            #expect(claims.isHeld(key))
            outer.end()
            #expect(!claims.isHeld(key))
            for claim in claims.claim([key, key, "other"], isWithCaller: false) { claim.end() }
            #expect(!claims.isHeld(key))
        }
        #expect(takeTurns() == [0, 0])
    }
}
