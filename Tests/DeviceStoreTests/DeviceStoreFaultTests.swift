import Foundation
import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct DeviceStoreFaultTests {
    /// Runs a program in which the call with each number fails, and checks that nothing that returned is lost.
    private func failEveryCall(errno: Int32, forever: Bool, writing: Int) throws {
        var index = 0
        while true {
            let disk = LyingFileSystem(directories: ["/data"], isRecording: false)
            disk.fail(at: index, errno: errno, forever: forever, writing: writing)
            var acknowledged: [String: StoredValue] = [:]
            var uncertain: [String: StoredValue?] = [:]
            run(LyingStore(disk), &acknowledged, &uncertain)
            let wasReached = disk.operationCount > index
            disk.stopFailing()
            let store = try LyingStore(disk).open()
            let found = try contents(store)
            for key in Set(acknowledged.keys).union(found.keys).union(uncertain.keys) {
                let mayBe = uncertain[key].map { [$0, acknowledged[key]] } ?? [acknowledged[key]]
                #expect(mayBe.contains(found[key]), "\(key) after call \(index) failed with \(errno)")
            }
            #expect(try store.verify().isIntact, "call \(index)")
            try store.set(.int(99), for: "after")
            #expect(try store.get("after") == .int(99))
            if !wasReached { return }
            index += 1
        }
    }

    private func run(
        _ lying: LyingStore,
        _ acknowledged: inout [String: StoredValue],
        _ uncertain: inout [String: StoredValue?]
    ) {
        for round in 0..<2 {
            guard let store = try? lying.open() else { continue }
            for number in 0..<5 {
                let key = "key\(number)"
                let value = StoredValue.string("round \(round), \(number)")
                do {
                    if number == 3 {
                        try setSynced(store, value, StoreKey(key))
                    } else {
                        try store.set(value, for: StoreKey(key))
                    }
                    acknowledged[key] = value
                    uncertain[key] = nil
                } catch {
                    // A synced commit that was made may be there although the disk did not confirm it; memory tells.
                    if let read = try? store.get(StoreKey(key)), read == value, number == 3 {
                        uncertain[key] = .some(value)
                    }
                    #expect((error as? StoreError)?.code != .damaged)
                }
            }
            do {
                try store.remove("key1")
                acknowledged["key1"] = nil
            } catch {}
            if round == 0 { try? store.compact() }
            try? closeNow(store)
        }
    }

    @Test(arguments: [EIO, ENOSPC], [true, false]) func nothingAcknowledgedIsLostWhenACallFails(
        errno: Int32,
        forever: Bool
    ) throws {
        try failEveryCall(errno: errno, forever: forever, writing: 0)
    }

    @Test func aWriteThatFailsHalfwayLeavesNothing() throws {
        try failEveryCall(errno: ENOSPC, forever: false, writing: 13)
        try failEveryCall(errno: EIO, forever: false, writing: 21)
    }
}
