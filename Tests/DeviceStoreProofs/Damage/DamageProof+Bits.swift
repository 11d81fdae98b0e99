import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization

extension DamageProof {
    /// The distance between flipped bits in reserved space, which is a prime number so that all bit positions in a byte are covered.
    private static let strideInReserve = 997

    /// Flips bits, `stride` apart, from an offset on, and checks the store after each.
    ///
    /// The bits are in the header, the commits, the space just after them, and samples of the remaining reserved space.
    package func flipBits(from offset: Int = 0, stride step: Int = 1, quarantining: Int = 64) -> ProofReport {
        var report = ProofReport(unit: "flipped bits")
        report.programs = 1
        if let misunderstanding { report.fail("\(io) \(subject): \(misunderstanding)") }
        let dense = (end + 256) * 8
        for bit in stride(from: offset * 8, to: dense, by: step) { flip(bit, of: bytes, quarantining, &report) }
        for bit in stride(from: dense, to: whole.count * 8, by: Self.strideInReserve * step) {
            flip(bit, of: whole, quarantining, &report)
        }
        return report
    }

    private func flip(_ bit: Int, of bytes: [UInt8], _ quarantining: Int, _ report: inout ProofReport) {
        report.count += 1
        var damaged = bytes
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        do {
            let problem =
                if let frame = log.frames.firstIndex(where: { $0.range.contains(bit / 8) }) {
                    if log.frames[frame].range.lowerBound < certainEnd {
                        try problem(damaged, in: frame, alsoQuarantining: report.count % quarantining == 0)
                    } else {
                        try problem(damaged, keeping: log.contents(before: frame), isTorn: true)
                    }
                } else {
                    try problem(damaged, outsideCommits: bit / 8)
                }
            if let problem { report.fail("\(io) \(subject), bit \(bit % 8) of \(bit / 8): \(problem)") }
        } catch {
            report.fail("\(io) \(subject), bit \(bit % 8) of \(bit / 8): \(error)")
        }
    }

    private func problem(_ damaged: [UInt8], in frame: Int, alsoQuarantining: Bool) throws -> String? {
        let range = log.frames[frame].range
        if let problem = try refusal(of: damaged, at: range.lowerBound) { return problem }
        let store = try silently { try open(damaged) { $0.damage = .readOnly } }
        if let problem = try problem(store, without: frame) { return problem }
        if (try? store.set(.int(1), for: "x")) != nil { return "the read-only store can be written to" }
        guard alsoQuarantining else { return nil }
        let disk = try disk(damaged)
        let repaired = try silently { try SimulatedStore(on: disk, io).open { $0.damage = .quarantine } }
        if let problem = try problem(repaired, without: frame) { return "quarantined: \(problem)" }
        let copy = try disk.open(SimulatedStore.path + ".damaged-1", .reading).read(at: 0, count: damaged.count + 1)
        if copy != damaged { return "the copy differs from the damaged file" }
        try repaired.set(.int(1), for: "after")
        try repaired.closeNow()
        let again = try SimulatedStore(on: disk, io).open()
        var expected = log.contents(without: [frame])
        expected["after"] = .int(1)
        if try again.contents() != expected { return "opened again after the repair, the store holds other entries" }
        return try again.verify().isIntact ? nil : "not intact after the repair"
    }

    private func problem(_ store: DeviceStore, without frame: Int) throws -> String? {
        guard let damage = store.damage else { return "the damage is not reported" }
        let range = log.frames[frame].range
        if damage.ranges != [range] { return "the reported ranges are \(damage.ranges) instead of \(range)" }
        if damage.missingCommits > 1 { return "\(damage.missingCommits) commits are reported missing" }
        if damage.keysInDoubt != log.keysInDoubt(without: frame) {
            return "the keys in doubt are \(damage.keysInDoubt) instead of \(log.keysInDoubt(without: frame))"
        }
        let found = try store.contents()
        let expected = log.contents(without: [frame])
        if damage.keptEntries != expected.count { return "\(damage.keptEntries) entries are reported as kept" }
        return found == expected ? nil : "\(found) instead of \(expected)"
    }

    /// Returns a problem with a file that is damaged in the header or after the last commit, or `nil` if there is none.
    private func problem(_ damaged: [UInt8], outsideCommits offset: Int) throws -> String? {
        let issues = Mutex(0)
        let store = try withIssueHandler({ _ in issues.withLock { $0 += 1 } }, operation: { try open(damaged) })
        if issues.withLock({ $0 == 0 }) { return "no issue is reported" }
        if try store.contents() != contents { return "the store holds other entries" }
        // An invalid header slot is overwritten next, possibly by opening.
        let isInSlot = offset % 2048 < 512 && offset < 4096
        if offset < 4096, !isInSlot, try store.verify().isIntact { return "verify does not report the damage" }
        try store.set(.int(1), for: "after")
        return try store.get("after") == .int(1) ? nil : "it can't be used"
    }
}
