import LarderCore
package import LarderDeviceStore
import LarderTestSupport

/// A proof that a process may die at any of its calls.
///
/// Acknowledged commits must be visible to other processes that have the store open or open it afterwards, and after a power loss that
/// follows a flush.
package enum ProcessDeathProof {
    /// Kills the process at each call of the last of `steps`.
    ///
    /// - Parameters:
    ///   - steps: The steps. All but the last are completed first.
    ///   - io: The IO mode of the store.
    ///   - hasWitness: Whether another process has the store open at the death.
    ///   - images: The number of power losses after each death.
    /// - Returns: The number of deaths and power losses, and the failures.
    package static func kill(
        in steps: [StoreProgram.Step],
        _ io: DeviceStoreOptions.IO,
        hasWitness: Bool,
        images: Int
    ) -> ProofReport {
        var report = ProofReport(unit: "deaths and power losses")
        report.programs = 1
        for writing in ProofVolume.isSmall ? [13] : [0, 13, .max] {
            var call = 0
            while true {
                do {
                    guard try silently({ try kill(steps, io, call, writing, hasWitness, images, &report) }) else {
                        break
                    }
                } catch {
                    report.fail("\(io) \(steps), killed at call \(call) having written \(writing): \(error)")
                }
                call += 1
                if call > 2_000 {
                    report.fail("\(io) \(steps), writing \(writing): still making calls after \(call) of them")
                    break
                }
            }
        }
        return report
    }

    /// Kills the process at a call, and returns `false` if the program ended before that call.
    private static func kill(
        _ steps: [StoreProgram.Step],
        _ io: DeviceStoreOptions.IO,
        _ call: Int,
        _ writing: Int,
        _ hasWitness: Bool,
        _ images: Int,
        _ report: inout ProofReport
    ) throws -> Bool {
        let name =
            "\(io) \(steps), killed at call \(call) having written \(writing)\(hasWitness ? ", with a witness" : "")"
        let program = StoreProgram(on: SimulatedStore.disk(), io)
        for step in steps.dropLast() { try program.run(step) }
        guard let last = steps.last else { return false }
        let witness = hasWitness ? try program.second() : nil
        program.killFirst(atCall: call, writing: writing)
        do {
            try program.run(last)
        } catch {
            guard program.isDead else { throw error }
        }
        guard program.buryTheDead() else { return false }
        report.count += 1
        for number in 0..<images {
            report.count += 1
            let image = program.disk.afterPowerLoss(seed: UInt64(number), isRecording: false)
            if let problem = program.problem(on: image, promised: program.promised, thoroughly: true) {
                report.fail("\(name), power loss \(number): \(problem)")
            }
        }
        let store = try witness ?? SimulatedStore(on: program.disk, io).open()
        let found = try store.contents()
        let possible = [program.contents, program.inFlight ?? program.contents]
        guard possible.contains(found) else {
            report.fail("\(name): \(found) instead of one of \(possible)")
            return true
        }
        let verification = try store.verify()
        if !verification.isIntact { report.fail("\(name): not intact: \(verification.problems)") }
        // A later process may complete the commit in progress; a state that was seen must stay.
        let later = found == program.inFlight ? [found] : possible
        try store.flushNow()
        for number in 0..<images {
            report.count += 1
            let image = program.disk.afterPowerLoss(seed: UInt64(number), isRecording: false)
            let left = try SimulatedStore(on: image, io).open().contents()
            if !later.contains(left) {
                report.fail("\(name): flushed \(found), and after power loss \(number) there is \(left)")
                break
            }
        }
        let after = try SimulatedStore(on: program.disk, io).open()
        if try !later.contains(after.contents()) { report.fail("\(name): who opened it sees something else") }
        try store.set(.int(-1), for: "after")
        if try after.get("after") != .int(-1) { report.fail("\(name): a commit is not seen by another process") }
        return true
    }
}
