import Foundation
import LarderCore
import Synchronization
import Testing

@testable import LarderDefaults

/// How long a thread waits for a change that another one has begun, in turns that pass at once.
struct KeyClaimsTests {
    private final class Turns: Sendable {
        let count = Atomic(0)
    }

    private let turns = Turns()
    private let claims: KeyClaims
    private let place = KeyClaims.Place.name("KeyClaimsTests", kind: "test")
    private let keys: [StoreKey] = ["k"]

    init() {
        claims = KeyClaims { [turns] _ in
            turns.count.add(1, ordering: .relaxed)
            return false
        }
    }

    /// Runs `body` on a thread of its own.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    private func claim(isWithCaller: Bool = true) async -> KeyClaims.Claim {
        await onThread { [claims, keys, place] in claims.claim(keys, in: place, isWithCaller: isWithCaller) }
    }

    private func takeTurns() -> Int { turns.count.exchange(0, ordering: .relaxed) }

    @Test func aThreadWaitsFiveTurnsForTheCallersCode() async {
        let first = await claim()
        #expect(takeTurns() == 0)
        let second = await claim()
        #expect(takeTurns() == 5)
        // The end of one that was overtaken frees nothing.
        claims.end(first)
        let third = await claim()
        #expect(takeTurns() == 5)
        claims.end(second)
        claims.end(third)
        claims.end(await claim())
        #expect(takeTurns() == 0)
        #expect(KeyClaims.turn * 5 == 0.25)
    }

    @Test func aThreadWaitsForACommitUntilTheStoreGivesUp() async {
        let first = await claim(isWithCaller: false)
        let second = await claim()
        #expect(takeTurns() == 600)
        claims.end(second)
        let third = await claim()
        claims.note(third, isWithCaller: false)
        claims.end(await claim())
        #expect(takeTurns() == 600)
        claims.end(first)
    }

    @Test func aThreadDoesNotWaitForItself() async {
        await onThread { [claims, keys, place] in
            let outer = claims.claim(keys, in: place, isWithCaller: true)
            let inner = claims.claim(keys, in: place, isWithCaller: true)
            claims.end(inner)
            claims.end(outer)
        }
        #expect(takeTurns() == 0)
    }
}
