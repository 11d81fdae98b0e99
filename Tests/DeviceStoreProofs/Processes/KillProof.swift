import Foundation
package import LarderDeviceStore
import LarderTestSupport

/// Real processes that are killed while they write at full speed on the real file system: nothing acknowledged is lost, and the
/// order is kept.
package enum KillProof {
    /// What is written.
    package struct Shape: Sendable, Hashable, CustomStringConvertible {
        package let description: String
        let arguments: [String]
        /// At most how many writes come before a kill, as a power of two: less than a megabyte of them.
        let longest: Int64
        /// Whether its keys change while it is written.
        var changesKeys = false

        /// Those that can be written by what was built.
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

    /// Kills a writer again and again, each time after some number of acknowledged writes.
    ///
    /// The next writer checks what the one before it left; a last process what the last one did.
    package static func kill(
        _ shape: Shape,
        _ io: DeviceStoreOptions.IO,
        times: Int,
        seed: UInt64,
        noting progress: (Int) -> Void = { _ in }
    ) -> ProofReport {
        var report = ProofReport(unit: "kills")
        report.programs = 1
        var generator = SplitMix64(seed: seed)
        do {
            let directory = try TemporaryDirectory()
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
                // As often after a few as after many.
                let wanted = before + 1 << Int64.random(in: 0...shape.longest, using: &generator)
                let printed = try helper.killWhen("\(wanted - before) writes") { acknowledged.value >= wanted }
                if let printed { report.fail("\(io) \(shape): it ended by itself: \(printed)") }
                report.count += 1
                progress(report.count)
                if mapped.value == 1 { throughMap += 1 }
                report.look(at: found.value, acknowledged: before, "\(io) \(shape)")
            }
            let last = try HelperProcess("check", io, path, shape.arguments).finish()
            report.look(at: Int64(last.filter(\.isNumber)) ?? -1, acknowledged: acknowledged.value, "\(io) \(shape)")
            if times >= 50, compactions.value == 0 { report.fail("\(io) \(shape): nothing was ever compacted") }
            report.remark = "\(acknowledged.value) writes, \(compactions.value) compactions"
            if shape.changesKeys {
                if times >= 50, rotationsCut.value == 0 {
                    report.fail("\(io) \(shape): no rotation was ever cut short")
                }
                report.remark += ", \(rotationsCut.value) rotations cut short"
            }
            if io == .mapped, throughMap < report.count { report.note(.systemCalls, for: io) }
            if io == .systemCalls, throughMap > 0 { report.fail("\(io) \(shape): \(throughMap) wrote through a map") }
        } catch {
            report.fail("\(io) \(shape), seed \(seed): \(error)")
        }
        return report
    }
}

extension ProofReport {
    /// What was acknowledged is there, and of what was not at most the write that was under way.
    fileprivate mutating func look(at found: Int64, acknowledged: Int64, _ what: String) {
        if found < acknowledged { fail("\(what): \(acknowledged) written, \(found) there") }
        if found > acknowledged + 1 { fail("\(what): \(found) there, \(acknowledged) written") }
    }
}
