import Foundation
import LarderCore
package import LarderDeviceStore
import LarderTestSupport

/// A proof that concurrent processes lose no increment, see no torn transaction and never wait forever.
package enum CountingProof {
    /// Lets four processes increment a counter while two other processes read it.
    package static func count(to times: Int, _ io: DeviceStoreOptions.IO) -> ProofReport {
        .ofProcesses("increments", of: "\(io)") { directory, report in
            let path = directory.path("s.larder")
            let store = try DeviceStore(path: path, options: options(io))
            report.note(store.io, for: io)
            let readers = try (0..<2).map { _ in try HelperProcess("read", io, path) }
            let writers = try (0..<4).map { _ in try HelperProcess("increment", io, path, ["\(times)"]) }
            for writer in writers { _ = try writer.finish() }
            try store.set(.bool(true), for: "finished")
            for reader in readers { _ = try reader.finish() }
            report.count = 4 * times
            let found = try store.get("counter")
            if found != .int(Int64(4 * times)) { report.fail("\(io): \(found as Any) instead of \(4 * times)") }
            let verification = try store.verify()
            if !verification.isIntact { report.fail("\(io): \(verification.problems)") }
            try store.closeNow()
        }
    }

    /// Suspends a process repeatedly, until it has been suspended three times while it held the lock.
    ///
    /// Meanwhile, writes of this process must throw `busy` in time, and reads must succeed. Writes must succeed after the process
    /// continues.
    package static func stop(_ io: DeviceStoreOptions.IO) -> ProofReport {
        .ofProcesses("stops", of: "\(io)") { directory, report in
            let path = directory.path("s.larder")
            var options = options(io)
            options.environment.lockLimit = .milliseconds(200)
            let store = try DeviceStore(path: path, options: options)
            report.note(store.io, for: io)
            try store.set(.int(1), for: "a")
            // Long enough to stop the process inside, but not many times longer in a slow sanitizer build.
            let helper = try HelperProcess("big", io, path, ["\(ProofVolume.of(20_000))"])
            defer {
                helper.send(SIGCONT)
                helper.send(SIGKILL)
                helper.process.waitUntilExit()
            }
            try blockUntil("the first of its commits") { try store.get("big.0") != nil }
            let deadline = ContinuousClock.now + patience
            var busy = 0
            while busy < 3, helper.process.isRunning, ContinuousClock.now < deadline {
                helper.send(SIGSTOP)
                report.count += 1
                let began = ContinuousClock.now
                do {
                    try store.set(.int(Int64(report.count)), for: "a")
                } catch let error as StoreError where error.code == .busy {
                    busy += 1
                    if !"\(error)".contains("\(helper.process.processIdentifier)") {
                        report.fail("\(io): the error does not name the holder of the lock: \(error)")
                    }
                }
                let took = ContinuousClock.now - began
                if took > .seconds(10) { report.fail("\(io): the call took \(took)") }
                if try store.get("a") == nil { report.fail("\(io): the store can't be read") }
                helper.send(SIGCONT)
                // The continued process releases the lock, which is then free for all.
                try retryWhileBusy(within: patience) { try store.set(.int(-Int64(report.count)), for: "a") }
            }
            if busy < 3 { report.fail("\(io): the process was never stopped inside the lock") }
            helper.send(SIGKILL)
            helper.process.waitUntilExit()
            try store.set(.int(-1), for: "a")
            let verification = try store.verify()
            if !verification.isIntact { report.fail("\(io): \(verification.problems)") }
            try store.closeNow()
        }
    }

    /// The time limit for events that must happen, which only a failing proof reaches.
    private static let patience = Duration.seconds(300)

    private static func options(_ io: DeviceStoreOptions.IO) -> DeviceStoreOptions {
        var options = DeviceStoreOptions()
        options.io = io
        return options
    }
}
