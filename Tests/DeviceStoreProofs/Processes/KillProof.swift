import Foundation
package import LarderStores
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
                    longest: 10
                )
            )
            #endif
            return shapes
        }()
    }

    /// Kills a writer again and again, each time after some number of acknowledged writes.
    package static func kill(
        _ shape: Shape,
        _ io: DeviceStoreOptions.IO,
        times: Int,
        seed: UInt64
    ) -> ProofReport {
        var report = ProofReport(unit: "kills")
        report.programs = 1
        var generator = SplitMix64(seed: seed)
        do {
            let directory = try TemporaryDirectory()
            let path = directory.path("s.larder")
            let acknowledged = try SharedNumber(at: directory.path("acknowledged"))
            var compactions = 0
            var writes: Int64 = 0
            for _ in 0..<times {
                let before = acknowledged.value
                let helper = try HelperProcess("write", io, path, shape.arguments + [directory.path("acknowledged")])
                // As often after a few as after many.
                let wanted = before + 1 << Int64.random(in: 0...shape.longest, using: &generator)
                try blockUntil("\(wanted - before) writes") {
                    acknowledged.value >= wanted || !helper.process.isRunning
                }
                if !helper.process.isRunning {
                    report.fail("\(io) \(shape): it ended by itself: \(try helper.finish())")
                }
                helper.send(SIGKILL)
                helper.process.waitUntilExit()
                let written = acknowledged.value
                let found = try HelperProcess("check", io, path, shape.arguments).finish().split(separator: " ")
                    .compactMap { Int64($0.filter(\.isNumber)) }
                report.count += 1
                guard found.count == 2 else {
                    report.fail("\(io) \(shape): \(found)")
                    continue
                }
                if found[0] < written { report.fail("\(io) \(shape): \(written) written, \(found[0]) there") }
                if found[0] > written + 1 { report.fail("\(io) \(shape): \(found[0]) there, \(written) written") }
                compactions = Int(found[1]) - 1
                writes = found[0]
            }
            report.remark = "\(writes) writes, \(compactions) compactions"
        } catch {
            report.fail("\(io) \(shape), seed \(seed): \(error)")
        }
        return report
    }
}
