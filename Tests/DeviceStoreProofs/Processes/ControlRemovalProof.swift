import Foundation
import LarderCore
package import LarderDeviceStore
import LarderTestSupport

/// A proof in which the control file is removed or replaced while two processes write and compact at full speed.
///
/// Every acknowledged commit of these processes and of the process that opens the store next must be present.
package enum ControlRemovalProof {
    private static let helpers = ["first", "second"]

    /// Removes or replaces the control file `times` times.
    package static func remove(_ io: DeviceStoreOptions.IO, times: Int) -> ProofReport {
        var acknowledged = 0
        var report = ProofReport.ofProcesses("removals", of: "\(io)") { directory, report in
            let path = directory.path("s.larder")
            var contents: Contents = [:]
            for round in 1...times {
                let states = try helpers.map { try SharedNumber(at: directory.path("\($0).\(round)")) }
                let processes = try helpers.map {
                    try HelperProcess("untilClosed", io, path, [$0, directory.path("\($0).\(round)")])
                }
                // From few commits, in the first log, to many compactions.
                let wanted = Int64(1 + round % 7 * 1_000)
                try blockUntil("commits by both") { states.allSatisfy { $0.value >= wanted } }
                try FileManager.default.removeItem(atPath: path + ".ctl")
                if round % 3 == 0 { try Data().write(to: URL(fileURLWithPath: path + ".ctl")) }
                var options = DeviceStoreOptions()
                options.io = io
                options.environment.lockLimit = .seconds(60)
                let store = try DeviceStore(path: path, options: options)
                try store.set(.int(Int64(round)), for: "opener")
                if round % 2 == 0 {
                    // Another process may be compacting.
                    do { try store.compact() } catch let error as StoreError where error.code == .busy {}
                }
                for process in processes { _ = try process.finish() }
                contents["opener"] = .int(Int64(round))
                for (name, state) in zip(helpers, states) {
                    contents[name] = .int(state.value)
                    acknowledged += Int(state.value)
                }
                report.count += 1
                let found = try store.contents()
                if found != contents { report.fail("\(io), round \(round): \(found) instead of \(contents)") }
                let verification = try store.verify()
                if !verification.isIntact { report.fail("\(io), round \(round): \(verification.problems)") }
                report.note(store.io, for: io)
                try store.closeNow()
            }
        }
        report.remark += (report.remark.isEmpty ? "" : ", ") + "\(acknowledged) acknowledged commits"
        return report
    }
}
