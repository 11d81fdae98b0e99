import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization

extension DamageProof {
    /// The distance between lengths in reserved space, which is a prime number so that most lengths are not aligned.
    private static let strideInReserve = 251

    /// Truncates the file to lengths up to the end of the commits, `stride` apart, and to some greater lengths.
    package func truncate(stride step: Int = 1) -> ProofReport {
        var report = ProofReport(unit: "cut files")
        report.programs = 1
        if let misunderstanding { report.fail("\(io) \(subject): \(misunderstanding)") }
        for length in stride(from: 0, to: end, by: step) { cut(to: length, &report) }
        for length in stride(from: end, to: whole.count, by: Self.strideInReserve * step) { cut(to: length, &report) }
        return report
    }

    private func cut(to length: Int, _ report: inout ProofReport) {
        report.count += 1
        let cut = Array(whole[..<length])
        do {
            let problem =
                if length < certainEnd {
                    try problem(damaged: cut)
                } else {
                    try problem(cut, keeping: log.contents(without: missing(length)), isTorn: isTorn(cut))
                }
            if let problem { report.fail("\(io) \(subject), cut at \(length): \(problem)") }
        } catch {
            report.fail("\(io) \(subject), cut at \(length): \(error)")
        }
    }

    /// Returns the indexes of the frames that are incomplete in a file of the given length.
    private func missing(_ length: Int) -> Set<Int> {
        Set(log.frames.indices.filter { log.frames[$0].range.upperBound > length })
    }

    /// Returns whether the truncated file ends with part of a frame.
    private func isTorn(_ cut: [UInt8]) -> Bool {
        let start = missing(cut.count).min().map { log.frames[$0].range.lowerBound } ?? end
        return cut.dropFirst(start).contains { $0 != 0 }
    }

    private func problem(damaged cut: [UInt8]) throws -> String? {
        if let problem = try refusal(of: cut, at: nil) { return problem }
        guard cut.count >= 4096 else { return nil }
        let store = try silently { try open(cut) { $0.damage = .readOnly } }
        if try store.contents() != log.contents(without: missing(cut.count)) {
            return "the intact part differs from the entries before the damage"
        }
        return problem(with: store.damage, cutAt: cut.count)
    }

    /// Returns a problem with the damage report for a truncated file, or `nil` if there is none.
    ///
    /// The report must begin at the end of the last complete commit.
    private func problem(with damage: DeviceStoreDamage?, cutAt length: Int) -> String? {
        guard let damage else { return "not reported" }
        let missing = missing(length)
        let lastEnd = missing.min().map { log.frames[$0].range.lowerBound } ?? end
        if damage.ranges.count != 1 || damage.ranges.first?.lowerBound != lastEnd {
            return "the reported ranges are \(damage.ranges), although everything before \(lastEnd) is intact"
        }
        let left = log.contents(without: missing).keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        if damage.keysInDoubt != left { return "the keys in doubt are \(damage.keysInDoubt) instead of \(left)" }
        return damage.keptEntries == left.count ? nil : "\(damage.keptEntries) entries are reported as kept"
    }
}

extension DamageProof {
    /// Returns a problem with the error for a damaged file, or `nil` if there is none.
    func refusal(of damaged: [UInt8], at offset: Int?) throws -> String? {
        let disk = try disk(damaged)
        do {
            _ = try silently { try SimulatedStore(on: disk, io).open() }
            return "opening does not report the damage"
        } catch let error as StoreError where error.code == .damaged {
            if let offset, error.offset != offset { return "damage at \(error.offset ?? -1) instead of \(offset)" }
        }
        let left = try disk.open(SimulatedStore.path, .reading).read(at: 0, count: damaged.count + 1)
        return left == damaged ? nil : "refusing it changed the file"
    }

    /// Returns a problem with an undamaged file, or `nil` if there is none.
    ///
    /// The file must be readable and usable, and opening it must report an issue if its end is torn.
    func problem(_ file: [UInt8], keeping expected: Contents, isTorn: Bool) throws -> String? {
        let disk = try disk(file)
        let simulated = SimulatedStore(on: disk, io)
        let reader = try silently { try simulated.open { $0.isReadOnly = true } }
        if reader.damage != nil { return "opened for reading only, it is reported as damaged" }
        if try reader.contents() != expected { return "opened for reading only, it holds \(try reader.contents())" }
        let issues = Mutex(0)
        let store = try withIssueHandler({ _ in issues.withLock { $0 += 1 } }, operation: { try simulated.open() })
        let found = issues.withLock { $0 }
        if (found > 0) != isTorn { return "\(found) issues are reported" }
        if try store.contents() != expected { return "\(try store.contents()) instead of \(expected)" }
        if try !store.verify().isIntact { return "not intact: \(try store.verify().problems)" }
        try store.set(.int(1), for: "after")
        try store.closeNow()
        let again = try simulated.open()
        var later = expected
        later["after"] = .int(1)
        if try again.contents() != later { return "opened again, it holds \(try again.contents())" }
        return try again.verify().isIntact ? nil : "opened again, it is not intact: \(try again.verify().problems)"
    }
}
