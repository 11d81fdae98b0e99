import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Tests of progress reports and statistics.
@Suite struct DeviceStoreMaintenanceTests {
    /// The progress reports that a handler received.
    private final class Seen: Sendable {
        private let all = Mutex<[StoreProgress]>([])

        @Sendable func add(_ progress: StoreProgress) { all.withLock { $0.append(progress) } }
        var progress: [StoreProgress] { all.withLock(\.self) }

        /// Whether the reported progress grows steadily until it reaches the total.
        var isPlausible: Bool {
            let seen = progress
            return seen.last?.fraction == 1
                && zip(seen, seen.dropFirst()).allSatisfy { $0.completed <= $1.completed && $0.total == $1.total }
        }
    }

    private let fixture = StoreFixture()

    /// Returns a store of about 3 MB, of which a third is live.
    private func store() throws -> DeviceStore {
        let store = try fixture.open()
        for round in 0..<3 {
            var batch = StoreBatch()
            for number in 0..<1_000 {
                batch.set(.string("\(round)" + String(repeating: "x", count: 1_000)), for: StoreKey("key\(number)"))
            }
            _ = try store.commit(batch)
        }
        return store
    }

    @Test func verifyReportsProgress() throws {
        let store = try store()
        let seen = Seen()
        #expect(try store.verify(progress: seen.add).isIntact)
        #expect(seen.isPlausible)
    }

    @Test func compactionAndBackupReportProgress() throws {
        let store = try store()
        let (compacting, backingUp) = (Seen(), Seen())
        try store.compact(progress: compacting.add)
        try store.backup(to: "/data/copy.larder", progress: backingUp.add)
        #expect(compacting.isPlausible && backingUp.isPlausible)
        #expect(try store.verify().isIntact)
    }

    @Test func progressHandlerCanReadAndWriteDuringCompaction() throws {
        let store = try store()
        try store.compact { progress in
            do { try store.set(.int(Int64(progress.total)), for: "written") } catch { Issue.record(error) }
        }
        #expect(try store.get("written") != nil)
        #expect(try store.verify().isIntact)
    }

    @Test func repairReportsProgress() throws {
        let store = try store()
        try store.closeNow()
        let file = try fixture.disk.open(StoreFixture.path, .writing)
        try file.write([0xFF, 0, 0xFF], at: LogFormatPlaces.firstFrame + 40)
        let seen = Seen()
        let damage = try DeviceStore.repair(at: StoreFixture.path, options: fixture.options(), progress: seen.add)
        #expect(damage != nil && seen.isPlausible)
        #expect(try fixture.open().verify().isIntact)
    }

    private enum LogFormatPlaces {
        static let firstFrame = 4_096
    }

    @Test func statisticsDistinguishLiveAndDeadBytes() throws {
        let store = try store()
        let before = try store.statistics()
        #expect(before.entries == 1_000 && before.generation >= 1)
        #expect(before.usedBytes <= before.fileBytes)
        try store.compact()
        let after = try store.statistics()
        #expect(after.liveBytes == before.liveBytes && after.generation > before.generation)
        #expect(after.deadBytes < after.liveBytes / 10)
        #expect(try store.verify().isIntact)
    }

    @Test func inspectionIncludesStatistics() throws {
        let store = try store()
        let facts = try store.inspectionFacts()
        #expect(facts.map(\.name).prefix(5) == ["entries", "live bytes", "dead bytes", "file bytes", "generation"])
        #expect(facts.first?.value == "1000")
        #expect(try store.verify().isIntact)
    }
}
