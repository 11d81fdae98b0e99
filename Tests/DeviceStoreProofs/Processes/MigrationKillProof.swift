import Foundation
import LarderCore
package import LarderDeviceStore
import LarderStores
import LarderTestSupport

/// A proof that a migration from a property list to a device store is complete or absent after its process was killed.
package enum MigrationKillProof {
    private static let entries = 400

    /// Kills a migrating process repeatedly; each migration has a new store.
    package static func kill(_ io: DeviceStoreOptions.IO, times: Int, seed: UInt64) -> ProofReport {
        var generator = SplitMix64(seed: seed)
        return .ofProcesses("kills", of: "\(io), seed \(seed)") { directory, report in
            let source = directory.path("s.plist")
            try fill(source)
            let done = try SharedNumber(at: directory.path("done"))
            var begun = 0
            var used = io
            for _ in 0..<times {
                let wanted = done.value + Int64.random(in: 1...6, using: &generator)
                let helper = try HelperProcess("migrate", io, source, [directory.path, directory.path("done")])
                try report.kill(helper, of: "\(io)", when: "\(wanted) migrations") { done.value >= wanted }
                for number in [done.value, done.value + 1] {
                    let path = directory.path("s\(number).larder")
                    let wasThere = FileManager.default.fileExists(atPath: path)
                    if wasThere, number > done.value { begun += 1 }
                    if let problem = try problem(path, source, io, mustBeDone: number == done.value, &used) {
                        report.fail("\(io), seed \(seed), kill \(report.count): \(problem)")
                    }
                }
            }
            report.remark = "\(done.value) migrations, \(begun) interrupted"
            report.note(used, for: io)
        }
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
        if mustBeDone, !isDone { return "the completed migration is missing" }
        let count = try store.count()
        if count != (isDone ? entries : 0) { return "\(count) entries, and done is \(isDone)" }
        let outcome = try migration.run(into: store).outcome
        if outcome != (isDone ? .alreadyDone : .migrated) { return "the second run returned \(outcome)" }
        if try store.contents()
            != Dictionary(
                uniqueKeysWithValues: migration.source.entries(prefix: "").map { ($0.key, $0.value) }
            )
        {
            return "its entries differ from the source's"
        }
        let verification = try store.verify()
        try store.close()
        return verification.isIntact ? nil : "not intact: \(verification.problems)"
    }
}
