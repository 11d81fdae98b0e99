#if Encryption
import Crypto
import Foundation
import LarderCore
import LarderStores
import Synchronization
import Testing

@Suite struct NonceTests {
    /// A record of the nonces of all encrypted entries that the base store received.
    private final class Nonces: Sendable {
        private let seen = Mutex<[Data]>([])

        func note(_ batch: StoreBatch?) {
            guard let batch else { return }
            seen.withLock { seen in
                for write in batch.writes where !write.key.text.hasPrefix("\u{0}larder") {
                    if let value = write.value { seen.append(value.bytes.prefix(12)) }
                }
            }
        }

        var all: [Data] { seen.withLock { $0 } }
    }

    @Test func nonceIsNeverReusedAcrossSessionsInstancesAndThreads() async throws {
        let base = MemoryStore()
        let nonces = Nonces()
        let recording = InterruptedStore(base) { nonces.note($0) }
        for _ in 0..<3 {
            let instances = try (0..<2).map { _ in try EncryptedStore(recording, key: exampleKey) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        let store = instances[task % 2]
                        for number in 0..<50 {
                            try store.set(.int(Int64(number)), for: "k\(number % 5)")
                            try store.transaction { transaction in
                                let count = try transaction.get("count") ?? 0
                                guard case .int(let count) = count else { return }
                                try transaction.set(.int(count + 1), for: "count")
                                try transaction.set(.int(count), for: "previous")
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let all = nonces.all
        #expect(all.count >= 3 * 4 * 50 * 3)
        // No salt was replaced, so equal nonces would mean the same key and nonce.
        #expect(Set(all).count == all.count)
        let store = try EncryptedStore(base, key: exampleKey)
        #expect(try store.get("count") == 600)
        try expectIntact(store)
    }

    @Test func newSessionBeginsWhenNoncesAreExhausted() throws {
        var environment = EncryptedStore.Environment()
        environment.sealsPerSession = 2
        let base = MemoryStore()
        let nonces = Nonces()
        let store = try EncryptedStore(
            InterruptedStore(base) { nonces.note($0) },
            key: exampleKey,
            options: .init(),
            environment: environment
        )
        var batch = StoreBatch()
        for number in 0..<5 { batch.set(.int(Int64(number)), for: StoreKey("\(number)")) }
        _ = try store.commit(batch)
        for number in 0..<5 { try store.set(.int(Int64(number)), for: "\(number)") }
        #expect(Set(nonces.all).count == 10)
        #expect(try base.get(sessionsRecord) == 4)
        try expectIntact(store)
    }

    @Test func retriedBatchIsEncryptedOnce() throws {
        let base = MemoryStore()
        let nonces = Nonces()
        let other = try EncryptedStore(base, key: exampleKey)
        try other.set(1, for: "watched")
        let attempts = Mutex(0)
        let store = try EncryptedStore(
            InterruptedStore(base) { batch in
                nonces.note(batch)
                guard batch?.writes.contains(where: { $0.key.text == "k" }) == true else { return }
                let attempt = attempts.withLock { attempts in
                    attempts += 1
                    return attempts
                }
                // The same value sealed again: the expected value still holds, but its bytes differ.
                if attempt < 4 { #expect(throws: Never.self) { try other.set(1, for: "watched") } }
            },
            key: exampleKey
        )
        var batch = StoreBatch()
        batch.expect(1, at: "watched")
        batch.set(2, for: "k")
        #expect(try store.commit(batch))
        #expect(attempts.withLock { $0 } == 4)
        #expect(Set(nonces.all).count == 1)
        try expectIntact(store)
    }
}
#endif
