import Foundation
import LarderCore
package import LarderDeviceStore
import LarderTestSupport

/// Real processes that are killed while they open a store, make one by it, or clear away what one that was killed before has left: the
/// next one opens it, and what was acknowledged is there.
package enum OpeningKillProof {
    /// Kills a process that opens again and again, at least `times`; the next one goes on with what it has left.
    package static func kill(_ io: DeviceStoreOptions.IO, times: Int, seed: UInt64) -> ProofReport {
        var report = ProofReport(unit: "kills")
        report.programs = 1
        var generator = SplitMix64(seed: seed)
        do {
            let directory = try TemporaryDirectory()
            let written = try SharedNumber(at: directory.path("written"))
            let begun = try SharedNumber(at: directory.path("written.begun"))
            let ended = try SharedNumber(at: directory.path("written.ended"))
            var cutOff = 0
            // On until one was cut off, which most kills do: else nothing would be proved by a few.
            while report.count < times || cutOff == 0 && report.count < times + 50 {
                ended.value = begun.value
                let wanted = begun.value + Int64.random(in: 1...6, using: &generator)
                let helper = try HelperProcess("open", io, directory.path, [directory.path("written")])
                let printed = try helper.killWhen("\(wanted) openings") { begun.value >= wanted }
                if let printed { report.fail("\(io): it ended by itself: \(printed)") }
                report.count += 1
                if ended.value < begun.value { cutOff += 1 }
            }
            report.remark = "\(written.value) stores made, \(cutOff) openings cut off"
            // What the last one has left; there is no store 0.
            for number in [written.value, written.value + 1] where number > 0 {
                var options = DeviceStoreOptions()
                options.io = io
                let store = try silently {
                    try DeviceStore(path: directory.path("s\(number).larder"), options: options)
                }
                let found = try store.get("number")
                let isThere = found == .int(number) || number > written.value && found == nil
                if !isThere { report.fail("\(io), seed \(seed): s\(number) holds \(found.debugDescription)") }
                if try !store.verify().isIntact { report.fail("\(io), seed \(seed): s\(number) is not intact") }
                try store.close()
                report.note(store.io, for: io)
            }
            if cutOff == 0 { report.fail("\(io): no opening was ever cut off") }
        } catch {
            report.fail("\(io), seed \(seed): \(error)")
        }
        return report
    }
}
