import Foundation
import LarderFiles
package import LarderStores
import LarderTestSupport
import Synchronization

/// Real processes that are killed while they write at full speed on the real file system: nothing acknowledged is lost, and the
/// order is kept.
package enum KillProof {
    /// What is written.
    package struct Shape: Sendable, Hashable, CustomStringConvertible {
        package let description: String
        let arguments: [String]

        /// Those that can be written by what was built.
        package static let all: [Shape] = {
            var shapes = [
                Shape(description: "1 key of 100 bytes", arguments: ["1", "100", "100", "plain"]),
                Shape(description: "100 keys of 200 to 400 bytes", arguments: ["100", "200", "400", "plain"]),
                Shape(description: "200 keys of 4 to 8 KB", arguments: ["200", "4000", "8000", "plain"]),
            ]
            #if Encryption
            shapes.append(
                Shape(
                    description: "100 keys of 200 to 400 bytes, encrypted",
                    arguments: ["100", "200", "400", "encrypted"]
                )
            )
            #endif
            return shapes
        }()
    }

    /// Kills a writer again and again.
    package static func kill(_ shape: Shape, _ io: DeviceStoreOptions.IO, times: Int, seed: UInt64) -> ProofReport {
        var report = ProofReport(unit: "kills")
        report.programs = 1
        var generator = ProofGenerator(seed: seed)
        do {
            let directory = try TemporaryDirectory()
            let path = directory.path("s.larder")
            let page = try AcknowledgementPage(directory.path("acknowledged"))
            var compactions = 0
            var writes: Int64 = 0
            for _ in 0..<times {
                let before = page.number
                let helper = try HelperProcess("write", io, path, shape.arguments + [directory.path("acknowledged")])
                let deadline = ContinuousClock.now + .seconds(20)
                while page.number == before, ContinuousClock.now < deadline, helper.process.isRunning {
                    CurrentProcess.sleep(for: .microseconds(200))
                }
                CurrentProcess.sleep(for: .microseconds(Int.random(in: 0..<20_000, using: &generator)))
                helper.send(SIGKILL)
                helper.process.waitUntilExit()
                let acknowledged = page.number
                if acknowledged == before { report.fail("\(io) \(shape): it wrote nothing: \(try helper.finish())") }
                let found = try HelperProcess("check", io, path, shape.arguments).finish().split(separator: " ")
                    .compactMap { Int64($0.filter(\.isNumber)) }
                report.count += 1
                guard found.count == 2 else {
                    report.fail("\(io) \(shape): \(found)")
                    continue
                }
                if found[0] < acknowledged { report.fail("\(io) \(shape): \(acknowledged) written, \(found[0]) there") }
                if found[0] > acknowledged + 1 {
                    report.fail("\(io) \(shape): \(found[0]) there, \(acknowledged) written")
                }
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

/// The shared memory in which a writer states what was kept.
private final class AcknowledgementPage {
    private let region: any MappedRegion

    init(_ path: String) throws {
        let file = try LocalFileSystem.local.open(path, FileOpenMode(isWritable: true, creation: .ifMissing))
        try file.truncate(to: 4096)
        region = try file.map(offset: 0, count: 4096, writable: true)
    }

    var number: Int64 {
        region.bytes.baseAddress?.assumingMemoryBound(to: Atomic<Int64>.self).pointee.load(ordering: .acquiring) ?? 0
    }
}
