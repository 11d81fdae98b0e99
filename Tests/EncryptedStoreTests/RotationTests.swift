#if Encryption
import Crypto
import Foundation
import LarderCore
import LarderStores
import Synchronization
import Testing

@Suite struct RotationTests {
    /// The number of entries, which is enough for three commits of a rotation.
    static let count = 10

    static func open(_ base: any KeyValueStore, options: EncryptedStore.Options = .init()) throws -> EncryptedStore {
        var environment = EncryptedStore.Environment()
        environment.entriesPerRotationCommit = 4
        return try EncryptedStore(base, key: exampleKey, options: options, environment: environment)
    }

    /// Creates entries in two sessions.
    ///
    /// One of the entries has a reserved key.
    static func fill(_ base: any KeyValueStore, options: EncryptedStore.Options = .init()) throws -> EncryptedStore {
        let store = try open(base, options: options)
        for number in 0..<count { try store.set(.int(Int64(number)), for: "key \(number)") }
        try EncryptedStore(base, key: exampleKey, options: options).set("own", for: StoreKey(reserved: ".side"))
        return store
    }

    static func expectAll(_ store: EncryptedStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let entries = try store.entries()
        #expect(entries.count == count, sourceLocation: sourceLocation)
        for entry in entries { #expect(entry.key == "key \(entry.value)", sourceLocation: sourceLocation) }
        #expect(try store.get(StoreKey(reserved: ".side")) == "own", sourceLocation: sourceLocation)
        try expectIntact(store, sourceLocation: sourceLocation)
    }

    @Test(arguments: allOptions)
    func rotationReencryptsAllValues(options: EncryptedStore.Options) throws {
        let base = MemoryStore()
        let store = try Self.fill(base, options: options)
        let before = try base.entries()
        #expect(try store.rotateDataKey() == Self.count + 1)
        let after = try base.entries()
        #expect(before.map(\.key) == after.map(\.key))
        #expect(zip(before, after).allSatisfy { $0.value != $1.value })
        #expect(try base.get(saltRecord(0)) == nil)
        #expect(try base.get(saltRecord(1)) == nil)
        #expect(try !store.isRotationPending)
        try Self.expectAll(store)
        try Self.expectAll(EncryptedStore(base, key: exampleKey, options: options))
        // An entry sealed before the rotation can't be restored.
        try base.set(before[0].value, for: before[0].key)
        #expect(try EncryptedStore(base, key: exampleKey, options: options).verify().problems.count == 1)
    }

    @Test(arguments: [false, true])
    func rotationKilledAtAnyStoreCallIsResumed(hidesNames: Bool) throws {
        let options = EncryptedStore.Options(hidesNames: hidesNames)
        var allowed = 0
        while true {
            let base = MemoryStore()
            _ = try Self.fill(base, options: options)
            let killed = InterruptedStore(base)
            let store = try Self.open(killed, options: options)
            killed.allow(allowed)
            let isKilled = (try? store.rotateDataKey()) == nil
            let reopened = try EncryptedStore(base, key: exampleKey, options: options)
            try Self.expectAll(reopened)
            try reopened.set("new", for: "another")
            try reopened.remove("another")
            try reopened.rotateDataKey()
            #expect(try !reopened.isRotationPending)
            try Self.expectAll(EncryptedStore(base, key: exampleKey, options: options))
            guard isKilled else { break }
            allowed += 1
        }
        #expect(allowed > 40)
    }

    @Test func encryptedValuesSurviveKillAtAnyStoreCall() throws {
        for allowed in 0..<40 {
            let base = MemoryStore()
            let killed = InterruptedStore(base, allowed: allowed)
            let written = Mutex<StoredValue?>(nil)
            do {
                let store = try EncryptedStore(killed, key: exampleKey)
                for value in [1, 2] as [StoredValue] {
                    try store.set(value, for: "k")
                    written.withLock { $0 = value }
                }
                try store.changeKey(to: otherKey)
            } catch is InterruptedStore.Killed {}
            let reopened = try (try? EncryptedStore(base, key: exampleKey)) ?? EncryptedStore(base, key: otherKey)
            #expect(try reopened.get("k") == written.withLock { $0 })
            try reopened.set(3, for: "k")
            #expect(try reopened.get("k") == 3)
            try expectIntact(reopened)
        }
    }

    @Test func otherInstancesCanReadAndWriteDuringRotation() async throws {
        let base = MemoryStore()
        let store = try Self.fill(base)
        let others = try (0..<2).map { _ in try EncryptedStore(base, key: exampleKey) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<5 { try await store.rotateDataKey() } }
            group.addTask { for _ in 0..<5 { try await others[1].rotateDataKey() } }
            for (task, other) in others.enumerated() {
                group.addTask {
                    for round in 0..<100 {
                        let number = (round * 3 + task) % Self.count
                        #expect(try other.get("key \(number)") == .int(Int64(number)))
                        try other.set(.int(Int64(number)), for: "key \(number)")
                        if round % 10 == 0 { #expect(try other.entries().count == Self.count) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try !store.isRotationPending)
        for store in others + [store] { try Self.expectAll(store) }
        try Self.expectAll(EncryptedStore(base, key: exampleKey))
    }

    @Test func writerUsesNewDataKeyAfterConcurrentRotation() throws {
        let base = MemoryStore()
        let writer = try EncryptedStore(base, key: exampleKey)
        try writer.set(1, for: "k")
        try EncryptedStore(base, key: exampleKey).rotateDataKey()
        try writer.set(2, for: "k")
        #expect(try writer.compareAndSet("k", expecting: 2, to: 3))
        let reopened = try EncryptedStore(base, key: exampleKey)
        #expect(try reopened.get("k") == 3)
        try expectIntact(reopened)
    }

    @Test func valueWrittenDuringRotationIsKept() throws {
        let base = MemoryStore()
        let other = try Self.fill(base)
        let isWritten = Mutex(false)
        let store = try EncryptedStore(
            InterruptedStore(base) { batch in
                guard let batch, batch.writes.count > 4,
                    !isWritten.withLock({ written in
                        defer { written = true }; return written
                    })
                else { return }
                #expect(throws: Never.self) { try other.set("newer", for: "key 3") }
            },
            key: exampleKey
        )
        #expect(try store.rotateDataKey() == Self.count)
        #expect(try store.get("key 3") == "newer")
        #expect(try !store.isRotationPending)
        try expectIntact(store)
    }

    @Test func oldDataKeyIsKeptUntilCorruptValueIsReplaced() throws {
        let base = MemoryStore()
        let store = try Self.fill(base)
        try base.set("not sealed", for: "key 3")
        expectCode(.damaged, key: "key 3") { try store.rotateDataKey() }
        #expect(try store.isRotationPending)
        #expect(try store.get("key 9") == 9)
        try store.set(3, for: "key 3")
        try store.rotateDataKey()
        #expect(try !store.isRotationPending)
        try Self.expectAll(store)
    }

    // MARK: - The user's key

    @Test func onlyNewKeyOpensStoreAfterKeyChange() throws {
        let base = MemoryStore()
        let store = try Self.fill(base)
        let sealed = try base.entries()
        try store.changeKey(to: otherKey)
        #expect(try base.entries() == sealed)
        expectCode(.wrongKey) { _ = try EncryptedStore(base, key: exampleKey) }
        try Self.expectAll(EncryptedStore(base, key: otherKey))
        try store.rotateDataKey()
        try Self.expectAll(store)
    }

    @Test func instanceWithOldKeyCannotRotateOrChangeKey() throws {
        let base = MemoryStore()
        let store = try Self.fill(base)
        let old = try EncryptedStore(base, key: exampleKey)
        try store.changeKey(to: otherKey)
        #expect(try old.get("key 1") == 1)
        expectCode(.wrongKey) { try old.rotateDataKey() }
        expectCode(.wrongKey) { try old.changeKey(to: exampleKey) }
        #expect(try old.verify().problems.count == 1)
        try Self.expectAll(store)
    }

    @Test func keyCanBeChangedDuringRotation() async throws {
        let base = MemoryStore()
        let store = try Self.fill(base)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<5 { try await store.rotateDataKey() } }
            group.addTask {
                for round in 0..<20 { try await store.changeKey(to: round.isMultiple(of: 2) ? otherKey : exampleKey) }
            }
            try await group.waitForAll()
        }
        try Self.expectAll(EncryptedStore(base, key: exampleKey))
    }
}
#endif
