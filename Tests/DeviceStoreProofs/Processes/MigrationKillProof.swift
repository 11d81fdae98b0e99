import Foundation
import LarderCore
package import LarderDeviceStore
import LarderStores
import LarderTestSupport

/// Real processes that are killed while they carry a property list over into a device store: all of it is there, or nothing.
package enum MigrationKillProof {
    private static let entries = 400

    /// Kills a process that migrates again and again, into one new store after the other.
    package static func kill(_ io: DeviceStoreOptions.IO, times: Int, seed: UInt64) -> ProofReport {
        var report = ProofReport(unit: "kills")
        report.programs = 1
        var generator = SplitMix64(seed: seed)
        do {
            let directory = try TemporaryDirectory()
            let source = directory.path("s.plist")
            try fill(source)
            let done = try SharedNumber(at: directory.path("done"))
            var begun = 0
            var used = io
            for _ in 0..<times {
                let wanted = done.value + Int64.random(in: 1...6, using: &generator)
                let helper = try HelperProcess("migrate", io, source, [directory.path, directory.path("done")])
                let printed = try helper.killWhen("\(wanted) migrations") { done.value >= wanted }
                if let printed { report.fail("\(io): it ended by itself: \(printed)") }
                report.count += 1
                for number in [done.value, done.value + 1] {
                    let path = directory.path("s\(number).larder")
                    let wasThere = FileManager.default.fileExists(atPath: path)
                    if wasThere, number > done.value { begun += 1 }
                    if let problem = try problem(path, source, io, mustBeDone: number == done.value, &used) {
                        report.fail("\(io), seed \(seed), kill \(report.count): \(problem)")
                    }
                }
            }
            report.remark = "\(done.value) migrations, \(begun) cut off"
            report.note(used, for: io)
        } catch {
            report.fail("\(io), seed \(seed): \(error)")
        }
        return report
    }

    private static func fill(_ source: String) throws {
        var batch = StoreBatch()
        for number in 0..<entries {
            batch.set(.string(String(repeating: "x", count: number)), for: StoreKey("key\(number)"))
        }
        _ = try PropertyListStore(path: source).commit(batch, durability: .synced)
    }

    private static func problem(
        _ path: String,
        _ source: String,
        _ io: DeviceStoreOptions.IO,
        mustBeDone: Bool,
        _ used: inout DeviceStoreOptions.IO
    ) throws -> String? {
        var options = DeviceStoreOptions()
        options.io = io
        let store = try silently { try DeviceStore(path: path, options: options) }
        used = store.io
        let migration = try StoreMigration("s", fromPropertyListAt: source)
        let isDone = try migration.isDone(in: store)
        if mustBeDone, !isDone { return "what was done is not" }
        let count = try store.count()
        if count != (isDone ? entries : 0) { return "\(count) entries, and done is \(isDone)" }
        let outcome = try migration.run(into: store).outcome
        if outcome != (isDone ? .alreadyDone : .carried) { return "run again it is \(outcome)" }
        if try store.contents()
            != Dictionary(
                uniqueKeysWithValues: migration.source.entries(prefix: "").map { ($0.key, $0.value) }
            )
        {
            return "it does not hold what the source does"
        }
        let verification = try store.verify()
        try store.close()
        return verification.isIntact ? nil : "not intact: \(verification.problems)"
    }
}
