import Foundation
import LarderCore
package import LarderDeviceStore
import LarderTestSupport

/// A proof that a store can be opened with all acknowledged commits after a process was killed while it opened a store.
///
/// The killed processes also create stores and remove the leftovers of earlier processes.
package enum OpeningKillProof {
    /// Kills an opening process at least `times` times; the next process continues with the stores that it left.
    package static func kill(_ io: DeviceStoreOptions.IO, times: Int, seed: UInt64) -> ProofReport {
        var generator = SplitMix64(seed: seed)
        return .ofProcesses("kills", of: "\(io), seed \(seed)") { directory, report in
            let written = try SharedNumber(at: directory.path("written"))
            let begun = try SharedNumber(at: directory.path("written.begun"))
            let ended = try SharedNumber(at: directory.path("written.ended"))
            var cutOff = 0
            // Continues until a kill has interrupted an opening, as most kills do, because other kills prove nothing.
            while report.count < times || cutOff == 0 && report.count < times + 50 {
                ended.value = begun.value
                let wanted = begun.value + Int64.random(in: 1...6, using: &generator)
                let helper = try HelperProcess("open", io, directory.path, [directory.path("written")])
                try report.kill(helper, of: "\(io)", when: "\(wanted) openings") { begun.value >= wanted }
                if ended.value < begun.value { cutOff += 1 }
            }
            report.remark = "\(written.value) stores created, \(cutOff) opens interrupted"
            // The stores of the last process; there is no store 0.
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
            if cutOff == 0 { report.fail("\(io): no open was ever interrupted") }
        }
    }
}
