import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Tests of closing a store while its automatic compaction or maintenance is running.
@Suite struct DeviceStoreClosingTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func storeClosedDuringCompactionCanBeReopenedAndCompacted(
        io: DeviceStoreOptions.IO
    ) throws {
        let disk = HeldDisk(SimulatedFileSystem(directories: ["/data"]), SimulatedStore.path + LogFormat.newSuffix)
        let simulated = SimulatedStore(on: disk, io)
        let store = try simulated.open { $0.environment.isAutomatic = true }
        disk.hold()
        var number = 0
        try blockUntil("a compaction") {
            number += 1
            try store.set(.string(String(repeating: "x", count: 1_000 + number)), for: "a")
            return disk.isAsked
        }
        let answer = Mutex<Result<Bool, any Error>?>(nil)
        Thread.detachNewThread {
            let result = Result {
                try store.closeNow()
                let next = try simulated.open()
                try next.compact()
                return try next.verify().isIntact
            }
            answer.withLock { $0 = result }
        }
        // The next opener has to wait. Otherwise, it would have failed by now.
        #expect(throws: WaitTimeout.self) {
            try blockUntil(within: .milliseconds(200)) { answer.withLock { $0 != nil } }
        }
        disk.release()
        try blockUntil("the next opener") { answer.withLock { $0 != nil } }
        #expect(try answer.withLock { $0 }?.get() == true)
    }

    /// Closes a store while periodic maintenance may be running.
    @Test(arguments: DeviceStoreOptions.IO.allCases) func closeDuringMaintenanceReportsNoIssues(
        io: DeviceStoreOptions.IO
    ) throws {
        let disk = SimulatedFileSystem(directories: ["/data"])
        let meddled = MeddledFileSystem(.looking, SimulatedStore.path + ".ctl", on: disk)
        let heard = Mutex<[String]>([])
        try withIssueHandler { issue in
            heard.withLock { $0.append(issue.message) }
        } operation: {
            let store = try SimulatedStore(on: meddled, io).open()
            try store.set(1, for: "a")
            meddled.once { #expect(throws: Never.self) { try store.closeNow() } }
            store.maintain()
            #expect(code { _ = try store.get("a") } == .closed)
        }
        #expect(heard.withLock(\.self) == [])
        #expect(try SimulatedStore(on: disk, io).open().verify().isIntact)
    }
}
