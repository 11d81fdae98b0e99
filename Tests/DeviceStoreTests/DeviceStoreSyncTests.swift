import DeviceStoreProofs
import Dispatch
import Foundation
import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import Synchronization
import Testing

/// Callers that wait for the disk, several at a time.
@Suite struct DeviceStoreSyncTests {
    enum Callers: CaseIterable {
        case threads, tasks, both

        func isTask(_ caller: Int) -> Bool { self == .tasks || self == .both && caller % 2 == 1 }
    }

    private let disk: HeldDisk
    private let store: DeviceStore

    init() throws {
        disk = HeldDisk(LyingFileSystem(directories: ["/data"]), SimulatedStore.path)
        store = try SimulatedStore(on: disk, .systemCalls).open()
        try store.setSynced(0, for: "before")
    }

    /// Begins a synced put by each caller, and returns when all have been committed.
    private func begin(_ numbers: Range<Int>, _ callers: Callers, _ told: Told) throws {
        for number in numbers { begin(number, isTask: callers.isTask(number), told) }
        try blockUntil("commits") { try store.keys().count >= numbers.upperBound + 1 }
    }

    private func begin(_ number: Int, isTask: Bool, _ told: Told) {
        let store = store
        if isTask {
            Task.detached {
                do {
                    try await store.set(.int(1), for: StoreKey("\(number)"), durability: .synced)
                    told.add(nil)
                } catch {
                    told.add(error)
                }
            }
        } else {
            Thread.detachNewThread {
                do {
                    try store.setSynced(.int(1), for: StoreKey("\(number)"))
                    told.add(nil)
                } catch {
                    told.add(error)
                }
            }
        }
    }

    /// What callers were told.
    private final class Told: Sendable {
        private let errors = Mutex<[(any Error)?]>([])

        var count: Int { errors.withLock(\.count) }
        var failures: Int { errors.withLock { $0.count { $0 != nil } } }
        func add(_ error: (any Error)?) { errors.withLock { $0.append(error) } }
    }

    /// What is there after power loss now.
    private func onDisk() throws -> Contents {
        try LyingStore(disk.disk.afterPowerLoss(seed: 7)).open().contents()
    }

    @Test(arguments: Callers.allCases)
    func allWhoComeWhileASyncRunsShareTheNext(callers: Callers) throws {
        let (before, told) = (disk.syncs, Told())
        disk.hold()
        try begin(0..<1, callers, told)
        try blockUntil("first") { disk.isAsked }
        try begin(1..<9, callers, told)
        #expect(told.count == 0)
        disk.release()
        try blockUntil("all") { told.count == 9 }
        #expect(told.failures == 0)
        #expect(disk.syncs == before + 2)
        #expect(try onDisk().count == 10)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Callers.allCases)
    func everybodyIsToldOfASyncThatFailedAndNobodyAsksAgain(callers: Callers) throws {
        let (before, told) = (disk.syncs, Told())
        disk.hold()
        try begin(0..<1, callers, told)
        try blockUntil("first") { disk.isAsked }
        try begin(1..<9, callers, told)
        disk.release(failing: FileError(errno: 5, .synchronize, SimulatedStore.path))
        try blockUntil("all") { told.count == 9 }
        #expect(told.failures == 9)
        #expect(throws: StoreError.self) { try store.flushNow() }
        #expect(disk.syncs == before + 1)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Callers.allCases)
    func whoeverReturnsFindsItOnTheDisk(callers: Callers) throws {
        let (told, lost, rounds) = (Told(), Atomic(0), 4)
        for caller in 0..<6 {
            let (store, disk) = (store, disk.disk)
            let check: @Sendable (StoreKey) throws -> Void = { key in
                if try LyingStore(disk.afterPowerLoss(seed: 7)).open().get(key) == nil {
                    lost.add(1, ordering: .relaxed)
                }
            }
            let keys = (0..<rounds).map { StoreKey("\(caller)/\($0)") }
            if callers.isTask(caller) {
                Task.detached {
                    do {
                        for key in keys {
                            try await store.set(.int(1), for: key, durability: .synced)
                            try check(key)
                        }
                        told.add(nil)
                    } catch {
                        told.add(error)
                    }
                }
            } else {
                Thread.detachNewThread {
                    do {
                        for key in keys {
                            try store.setSynced(.int(1), for: key)
                            try check(key)
                        }
                        told.add(nil)
                    } catch {
                        told.add(error)
                    }
                }
            }
        }
        try blockUntil("all") { told.count == 6 }
        #expect(told.failures == 0)
        #expect(lost.load(ordering: .relaxed) == 0)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Callers.allCases)
    func aCompactionMeanwhileLosesNothingThatIsConfirmed(callers: Callers) throws {
        let told = Told()
        disk.hold()
        try begin(0..<1, callers, told)
        try blockUntil("first") { disk.isAsked }
        try begin(1..<5, callers, told)
        try store.compact()
        disk.release()
        try blockUntil("all") { told.count == 5 }
        #expect(told.failures == 0)
        #expect(try onDisk().count == 6)
        #expect(try store.verify().isIntact)
    }

    @Test func whoeverIsAloneAsksTheDiskOnceForEachCommit() throws {
        let before = disk.syncs
        for number in 0..<10 { try store.setSynced(.int(Int64(number)), for: "alone") }
        #expect(disk.syncs == before + 10)
        #expect(try onDisk()["alone"] == .int(9))
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Callers.allCases)
    func whatIsOnTheDiskAlreadyIsNotSyncedAgain(callers: Callers) throws {
        let before = disk.syncs
        for _ in 0..<5 {
            let told = Told()
            // Nothing changes: there is nothing to wait for.
            let store = store
            if callers.isTask(1) {
                Task.detached {
                    do {
                        try await store.set(0, for: "before", durability: .synced)
                        told.add(nil)
                    } catch {
                        told.add(error)
                    }
                }
            } else {
                try store.setSynced(0, for: "before")
                told.add(nil)
            }
            try blockUntil("answer") { told.count == 1 }
            #expect(told.failures == 0)
        }
        #expect(disk.syncs == before)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Callers.allCases)
    func manyWhoComeAndGoAllReturn(callers: Callers) throws {
        let told = Told()
        for number in 0..<300 {
            begin(number, isTask: callers.isTask(number / 3), told)
            // Never more than a handful at a time, and now and then nobody.
            if number % 7 == 0 { try blockUntil("all so far") { told.count == number + 1 } }
        }
        try blockUntil("all") { told.count == 300 }
        #expect(told.failures == 0)
        #expect(try onDisk().count == 301)
        #expect(try store.verify().isIntact)
    }
}
