#if Encryption
import Crypto
import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

/// Tests of what remains of a former key after it was changed.
@Suite struct KeyChangeTests {
    private let disk = SimulatedStore.disk()

    private func contents() throws -> Data {
        let file = try disk.open(SimulatedStore.path, .reading)
        return Data(try file.read(at: 0, count: file.information().size))
    }

    private func issues(_ body: () throws -> Void) rethrows -> [LarderIssue] {
        let issues = Mutex<[LarderIssue]>([])
        try withIssueHandler({ issue in issues.withLock { $0.append(issue) } }, operation: body)
        return issues.withLock { $0 }
    }

    /// Creates a synced store in which "k" is "kept".
    private func flushedStore(_ io: DeviceStoreOptions.IO) throws -> EncryptedStore {
        let base = try SimulatedStore(on: disk, io).open()
        let store = try EncryptedStore(base, key: exampleKey)
        try store.set("kept", for: "k")
        try base.flushNow()
        return store
    }

    // MARK: - On the disk

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func completedKeyChangeSurvivesPowerLoss(io: DeviceStoreOptions.IO) throws {
        let store = try flushedStore(io)
        try store.changeKey(to: otherKey)
        for seed in UInt64(0)..<32 {
            let after = try SimulatedStore(on: disk.afterPowerLoss(seed: seed), io).open()
            let reopened = try EncryptedStore(after, key: otherKey)
            #expect(try reopened.get("k") == "kept")
            try expectIntact(reopened)
        }
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func removedDataKeyStaysRemovedAfterPowerLoss(io: DeviceStoreOptions.IO) throws {
        let store = try flushedStore(io)
        try store.rotateDataKey()
        for seed in UInt64(0)..<32 {
            let after = try SimulatedStore(on: disk.afterPowerLoss(seed: seed), io).open()
            let reopened = try EncryptedStore(after, key: exampleKey)
            #expect(try after.get(saltRecord(0)) == nil)
            #expect(try !reopened.isRotationPending)
            try expectIntact(reopened)
        }
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func keyChangeSyncErrorAdvisesKeepingBothKeys(io: DeviceStoreOptions.IO) throws {
        let store = try flushedStore(io)
        disk.fail(at: disk.operationCount, errno: EIO, forever: true, only: [.synchronize])
        let error = #expect(throws: StoreError.self) { try silently { try store.changeKey(to: otherKey) } }
        #expect(error?.message.contains("Keep both keys") == true)
        disk.stopFailing()
        #expect(try store.get("k") == "kept")
        for seed in UInt64(0)..<32 {
            let after = try silently { try SimulatedStore(on: disk.afterPowerLoss(seed: seed), io).open() }
            let reopened = try (try? EncryptedStore(after, key: otherKey)) ?? EncryptedStore(after, key: exampleKey)
            #expect(try reopened.get("k") == "kept")
            try expectIntact(reopened)
        }
    }

    @Test func keyChangeInterruptedByCrashKeepsOldKey() throws {
        let base = MemoryStore()
        let refusing = InterruptedStore(base)
        let store = try EncryptedStore(refusing, key: exampleKey)
        let header = try base.get(headerRecord)
        refusing.allow(3)
        #expect(throws: InterruptedStore.Killed.self) { try store.changeKey(to: otherKey) }
        refusing.allow(.max)
        #expect(try base.get(headerRecord) == header)
        try store.rotateDataKey()
        try expectIntact(EncryptedStore(base, key: exampleKey))
    }

    @Test func keyChangeOnFullDiskKeepsOldKey() throws {
        let base = try SimulatedStore(on: disk, .systemCalls).open()
        let store = try EncryptedStore(base, key: exampleKey)
        disk.fail(at: disk.operationCount, errno: ENOSPC, forever: true, only: [.write])
        let error = #expect(throws: StoreError.self) { try silently { try store.changeKey(to: otherKey) } }
        #expect(error?.code == .diskFull)
        disk.stopFailing()
        try EncryptedStore(base, key: exampleKey).changeKey(to: otherKey)
        let refusal = #expect(throws: StoreError.self) { try store.rotateDataKey() }
        #expect(refusal?.code == .wrongKey)
        try expectIntact(EncryptedStore(base, key: otherKey))
    }

    /// Simulates a power loss after each change to the disk, including those that the compaction makes.
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func keyChangeInterruptedByPowerLossLeavesOneValidKey(io: DeviceStoreOptions.IO) throws {
        let store = try flushedStore(io)
        let filled = disk.eventCount
        try store.changeKey(to: otherKey)
        let changed = disk.eventCount
        #expect(changed - filled >= 3)
        try silently {
            try disk.forEachSampledCrashImage(atLeast: 80, from: filled, seed: 1, perPoint: 8) { image in
                let after = try SimulatedStore(on: image.fileSystem, io).open()
                try Self.expectOneKey(after, mayBeTheFormer: image.eventCount < changed)
            }
        }
    }

    /// Kills the process in each of its system calls.
    @Test(.expectsIssues(.degraded), arguments: DeviceStoreOptions.IO.allCases, [0, 13, .max])
    func keyChangeKilledInSystemCallLeavesOneValidKey(io: DeviceStoreOptions.IO, written: Int) throws {
        var call = 0
        while true {
            let disk = SimulatedStore.disk()
            let process = SimulatedProcess(on: disk)
            defer { process.bury() }
            let store = try EncryptedStore(SimulatedStore(on: process, io).open(), key: exampleKey)
            try store.set("kept", for: "k")
            process.die(atCall: call, writing: written)
            do {
                // If the process dies during the compaction, an issue is reported. Everything else is complete by then.
                try silently { try store.changeKey(to: otherKey) }
            } catch {
                guard process.wasKilled else { throw error }
            }
            let wasKilled = process.wasKilled
            try silently { try Self.expectOneKey(SimulatedStore(on: disk, io).open(), mayBeTheFormer: wasKilled) }
            guard wasKilled else { break }
            call += 1
        }
        // The commit, its sync, and the compaction.
        #expect(call >= 5)
    }

    /// Opens the store with either key, and checks that the store has all values and can be changed.
    private static func expectOneKey(_ base: DeviceStore, mayBeTheFormer: Bool) throws {
        let store: EncryptedStore
        do {
            store = try EncryptedStore(base, key: otherKey)
        } catch let error as StoreError where error.code == .wrongKey && mayBeTheFormer {
            store = try EncryptedStore(base, key: exampleKey)
        }
        #expect(try store.get("k") == "kept")
        try store.changeKey(to: otherKey)
        try expectIntact(EncryptedStore(base, key: otherKey))
    }

    // MARK: - In the file

    @Test(arguments: DeviceStoreOptions.IO.allCases, [false, true])
    func keyChangeErasesOldHeader(io: DeviceStoreOptions.IO, isPart: Bool) throws {
        let device = try SimulatedStore(on: disk, io).open()
        let base: any KeyValueStore = isPart ? PrefixedStore(device, prefix: "part.") : device
        let store = try EncryptedStore(base, key: exampleKey)
        try store.set("kept", for: "k")
        let former = try #require(try base.get(headerRecord)).bytes
        #expect(try contents().range(of: former) != nil)
        try store.changeKey(to: otherKey)
        #expect(try contents().range(of: former) == nil)
        #expect(try store.get("k") == "kept")
        try expectIntact(store)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func rotationErasesValuesEncryptedWithOldDataKey(io: DeviceStoreOptions.IO) throws {
        let base = try SimulatedStore(on: disk, io).open()
        let store = try RotationTests.fill(base)
        let former = try base.entries().map(\.value.bytes)
        #expect(try former.allSatisfy { try contents().range(of: $0) != nil })
        try store.rotateDataKey()
        #expect(try former.allSatisfy { try contents().range(of: $0) == nil })
        try RotationTests.expectAll(store)
    }

    @Test func keyChangeReportsIssueIfCompactionFails() throws {
        let base = try SimulatedStore(on: disk, .systemCalls).open()
        let store = try EncryptedStore(base, key: exampleKey)
        try store.set("kept", for: "k")
        let former = try #require(try base.get(headerRecord)).bytes
        let isChanged = Mutex(false)
        let found = try issues {
            // While this closure runs, every other call finds a compaction in progress.
            try base.compact { _ in
                let isFirst = isChanged.withLock { isChanged in
                    defer { isChanged = true }
                    return !isChanged
                }
                if isFirst { #expect(throws: Never.self) { try store.changeKey(to: otherKey) } }
            }
        }
        #expect(found.map(\.code) == [.degraded])
        #expect(found.first?.message.contains("compact()") == true)
        try base.compact()
        #expect(try contents().range(of: former) == nil)
        try expectIntact(EncryptedStore(base, key: otherKey))
    }

    // MARK: - In memory

    @Test func restoredOlderHeaderIsRejectedAfterKeyChange() throws {
        let base = MemoryStore()
        let (store, former, current) = try storeWithAnotherKey(in: base)
        try base.set(former, for: headerRecord)
        expectCode(.wrongKey) { try store.rotateDataKey() }
        #expect(try base.get(headerRecord) == former)
        try base.set(current, for: headerRecord)
        try store.rotateDataKey()
        try expectIntact(EncryptedStore(base, key: otherKey))
    }

    @Test func changingKeyToCurrentKeySucceeds() throws {
        let base = MemoryStore()
        let store = try EncryptedStore(base, key: exampleKey)
        let other = try EncryptedStore(base, key: exampleKey)
        try store.set(1, for: "k")
        try store.changeKey(to: exampleKey)
        try store.changeKey(to: otherKey)
        // Another instance has made the same change before.
        try other.changeKey(to: otherKey)
        for store in [store, other] {
            try store.rotateDataKey()
            try expectIntact(store)
        }
        try expectIntact(EncryptedStore(base, key: otherKey))
    }

    /// Lets another thread change the key back, and ends that change first.
    @Test func storeOpensWithOldKeyIfKeyChangeIsReverted() throws {
        let base = MemoryStore()
        let slow = InterruptedStore(base)
        let store = try EncryptedStore(slow, key: exampleKey)
        try store.set(1, for: "k")
        slow.afterNextCommit { #expect(throws: Never.self) { try store.changeKey(to: exampleKey) } }
        try store.changeKey(to: otherKey)
        try store.rotateDataKey()
        try expectIntact(EncryptedStore(base, key: exampleKey))
    }

    @Test func concurrentKeyChangesLeaveExactlyOneValidKey() async throws {
        let base = MemoryStore()
        let store = try EncryptedStore(base, key: exampleKey)
        try store.set(1, for: "k")
        let keys = [exampleKey, otherKey, SymmetricKey(data: [UInt8](repeating: 9, count: 32))]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<2 {
                group.addTask { for round in 0..<100 { try await store.changeKey(to: keys[(round + first) % 3]) } }
            }
            group.addTask { for _ in 0..<20 { try await store.rotateDataKey() } }
            try await group.waitForAll()
        }
        try expectIntact(store)
        let opening = keys.filter { (try? EncryptedStore(base, key: $0)) != nil }
        #expect(opening.count == 1)
        try await store.changeKey(to: exampleKey)
        try expectIntact(EncryptedStore(base, key: exampleKey))
    }
}
#endif
