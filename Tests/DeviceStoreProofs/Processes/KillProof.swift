import Foundation
package import LarderDeviceStore
import LarderTestSupport

/// A proof that real processes that are killed while they write at full speed lose no acknowledged commit.
///
/// The commits that are present must be a prefix of all commits.
package enum KillProof {
    /// The keys and values that are written.
    package struct Shape: Sendable, Hashable, CustomStringConvertible {
        package let description: String
        let arguments: [String]
        /// The base-2 logarithm of the maximum number of writes before a kill, which together write less than a megabyte.
        let longest: Int64
        /// Whether the keys of the encrypted store change while values are written.
        var changesKeys = false

        /// All shapes that this build supports.
        package static let all: [Shape] = {
            var shapes = [
                Shape(description: "1 key of 100 bytes", arguments: ["1", "100", "100", "plain"], longest: 12),
                Shape(
                    description: "100 keys of 200 to 400 bytes",
                    arguments: ["100", "200", "400", "plain"],
                    longest: 10
                ),
                Shape(description: "200 keys of 4 to 8 KB", arguments: ["200", "4000", "8000", "plain"], longest: 6),
            ]
            #if Encryption
            shapes.append(
                Shape(
                    description: "100 keys of 200 to 400 bytes, encrypted",
                    arguments: ["100", "200", "400", "encrypted"],
                    longest: 10,
                    changesKeys: true
                )
            )
            #endif
            return shapes
        }()
    }

    /// Kills a writer repeatedly, each time after a random number of acknowledged writes.
    ///
    /// Each writer checks the writes of the previous one, and a last process checks those of the last writer.
    package static func kill(
        _ shape: Shape,
        _ io: DeviceStoreOptions.IO,
        times: Int,
        seed: UInt64,
        noting progress: (Int) -> Void = { _ in }
    ) -> ProofReport {
        var generator = SplitMix64(seed: seed)
        return .ofProcesses("kills", of: "\(io) \(shape), seed \(seed)") { directory, report in
            let path = directory.path("s.larder")
            let acknowledgedPath = directory.path("acknowledged")
            let acknowledged = try SharedNumber(at: acknowledgedPath)
            let found = try SharedNumber(at: acknowledgedPath + ".found")
            let compactions = try SharedNumber(at: acknowledgedPath + ".compactions")
            let rotationsCut = try SharedNumber(at: acknowledgedPath + ".rotationsCut")
            let mapped = try SharedNumber(at: acknowledgedPath + ".mapped")
            var throughMap = 0
            for _ in 0..<times {
                mapped.value = 0
                let before = acknowledged.value
                let helper = try HelperProcess("write", io, path, shape.arguments + [acknowledgedPath])
                // Few and many writes are equally likely.
                let wanted = before + 1 << Int64.random(in: 0...shape.longest, using: &generator)
                try report.kill(helper, of: "\(io) \(shape)", when: "\(wanted - before) writes") {
                    acknowledged.value >= wanted
                }
                progress(report.count)
                if mapped.value == 1 { throughMap += 1 }
                report.look(at: found.value, acknowledged: before, "\(io) \(shape)")
            }
            let last = try HelperProcess("check", io, path, shape.arguments).finish()
            report.look(at: Int64(last.filter(\.isNumber)) ?? -1, acknowledged: acknowledged.value, "\(io) \(shape)")
            if times >= 50, compactions.value == 0 { report.fail("\(io) \(shape): no compaction took place") }
            report.remark = "\(acknowledged.value) writes, \(compactions.value) compactions"
            if shape.changesKeys {
                if times >= 50, rotationsCut.value == 0 {
                    report.fail("\(io) \(shape): no rotation was interrupted")
                }
                report.remark += ", \(rotationsCut.value) rotations cut short"
            }
            if io == .mapped, throughMap < report.count { report.note(.systemCalls, for: io) }
            if io == .systemCalls, throughMap > 0 { report.fail("\(io) \(shape): \(throughMap) wrote through a map") }
        }
    }
}

extension ProofReport {
    /// Checks that all acknowledged writes are present, and at most one more, which was in progress.
    fileprivate mutating func look(at found: Int64, acknowledged: Int64, _ what: String) {
        if found < acknowledged { fail("\(what): \(acknowledged) written, \(found) there") }
        if found > acknowledged + 1 { fail("\(what): \(found) there, \(acknowledged) written") }
    }
}
