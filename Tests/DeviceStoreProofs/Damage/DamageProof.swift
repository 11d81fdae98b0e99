import Foundation
import LarderCore
import LarderFiles
package import LarderStores
import LarderTestSupport
import Synchronization

/// Flipped bits and cut files: never a crash, never silence, and no more lost than what was hit.
package struct DamageProof: Sendable {
    /// What the damaged store is like.
    package enum Subject: CaseIterable, Sendable {
        /// Commits of one key and of several, a removal.
        case commits
        /// A snapshot, as compaction writes it, and commits behind it.
        case snapshot
        /// Values that stay in the file.
        case largeValues
    }

    private let io: DeviceStoreOptions.IO
    private let subject: Subject
    let bytes: [UInt8]
    let log: LogDissection
    private let contents: Contents
    /// Where the commits end.
    private let end: Int

    /// Makes the store to be damaged, and closes it cleanly.
    package init(_ subject: Subject, _ io: DeviceStoreOptions.IO) throws {
        self.io = io
        self.subject = subject
        let disk = SimulatedStore.disk(isRecording: false)
        let store = try SimulatedStore(on: disk, io).open()
        let count = subject == .snapshot ? 60 : 10
        for number in 0..<count { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        if subject == .snapshot { try store.compact() }
        try store.set(.string("a longer text that takes some room"), for: "text")
        try store.remove("key3")
        var batch = StoreBatch()
        batch.set(.int(1), for: "first")
        batch.set(.string("two"), for: "second")
        batch.remove("key4")
        _ = try store.commit(batch)
        if subject == .largeValues { try store.set(.data(Data(repeating: 5, count: 17_000)), for: "large") }
        try store.set(.int(-1), for: "key5")
        contents = try store.contents()
        try store.closeNow()
        let file = try disk.open(SimulatedStore.path, .reading)
        let whole = try file.read(at: 0, count: file.information().size)
        log = try LogDissection(whole)
        end = log.frames.last?.range.upperBound ?? 4096
        // Most of what is reserved behind is left out, to be fast.
        bytes = Array(whole.prefix(end + 256))
    }

    /// Flips every bit, `stride` apart, of header, commits and the room behind them.
    package func flipBits(stride step: Int = 1, quarantining: Int = 64) -> ProofReport {
        var report = ProofReport(unit: "flipped bits")
        report.programs = 1
        if log.contents() != contents { report.fail("\(subject): the file does not hold what was stored") }
        for bit in stride(from: 0, to: bytes.count * 8, by: step) {
            report.count += 1
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            let frame = log.frames.firstIndex { $0.range.contains(bit / 8) }
            do {
                let problem =
                    if let frame {
                        try problem(damaged, in: frame, alsoQuarantining: report.count % quarantining == 0)
                    } else {
                        try problem(damaged, outsideCommits: bit / 8)
                    }
                if let problem { report.fail("\(io) \(subject), bit \(bit % 8) of \(bit / 8): \(problem)") }
            } catch {
                report.fail("\(io) \(subject), bit \(bit % 8) of \(bit / 8): \(error)")
            }
        }
        return report
    }

    /// Cuts the file at every length, `stride` apart.
    package func truncate(stride step: Int = 1) -> ProofReport {
        var report = ProofReport(unit: "cut files")
        report.programs = 1
        for length in stride(from: 0, to: end, by: step) {
            report.count += 1
            let cut = Array(bytes[..<length])
            do {
                if let problem = try refusal(of: cut, at: nil) {
                    report.fail("\(io) \(subject), cut at \(length): \(problem)")
                }
                guard length >= 4096 else { continue }
                let store = try silently { try open(cut) { $0.damage = .readOnly } }
                let whole = Set(log.frames.indices.filter { log.frames[$0].range.upperBound > length })
                if try store.contents() != log.contents(without: whole) {
                    report.fail("\(io) \(subject), cut at \(length): not what stands before")
                }
                if let problem = problem(with: store.damage, cutAt: length) {
                    report.fail("\(io) \(subject), cut at \(length): \(problem)")
                }
            } catch {
                report.fail("\(io) \(subject), cut at \(length): \(error)")
            }
        }
        return report
    }

    /// What is wrong with how a file of that length is reported: as damaged from the end of its last whole commit on.
    private func problem(with damage: DeviceStoreDamage?, cutAt length: Int) -> String? {
        guard let damage else { return "not reported" }
        let missing = Set(log.frames.indices.filter { log.frames[$0].range.upperBound > length })
        let lastEnd = missing.min().map { log.frames[$0].range.lowerBound } ?? end
        if damage.ranges.count != 1 || damage.ranges.first?.lowerBound != lastEnd {
            return "reported are \(damage.ranges), although all before \(lastEnd) is whole"
        }
        let left = log.contents(without: missing).keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        if damage.keysInDoubt != left { return "in doubt are \(damage.keysInDoubt) instead of \(left)" }
        return damage.keptEntries == left.count ? nil : "\(damage.keptEntries) entries are said to be kept"
    }

    private func disk(_ bytes: [UInt8]) -> LyingFileSystem {
        LyingFileSystem(directories: ["/data"], files: [SimulatedStore.path: bytes], isRecording: false)
    }

    private func open(_ bytes: [UInt8], _ change: (inout DeviceStoreOptions) -> Void = { _ in }) throws -> DeviceStore {
        try SimulatedStore(on: disk(bytes), io).open(change)
    }

    /// What is wrong with how a damaged file is refused.
    private func refusal(of damaged: [UInt8], at offset: Int?) throws -> String? {
        let disk = disk(damaged)
        do {
            _ = try silently { try SimulatedStore(on: disk, io).open() }
            return "it is opened as if nothing were"
        } catch let error as StoreError where error.code == .damaged {
            if let offset, error.offset != offset { return "damage at \(error.offset ?? -1) instead of \(offset)" }
        }
        let left = try disk.open(SimulatedStore.path, .reading).read(at: 0, count: damaged.count + 1)
        return left == damaged ? nil : "refusing it changed the file"
    }

    private func problem(_ damaged: [UInt8], in frame: Int, alsoQuarantining: Bool) throws -> String? {
        let range = log.frames[frame].range
        if let problem = try refusal(of: damaged, at: range.lowerBound) { return problem }
        let store = try silently { try open(damaged) { $0.damage = .readOnly } }
        if let problem = try problem(store, without: frame) { return problem }
        if (try? store.set(.int(1), for: "x")) != nil { return "it can be written" }
        guard alsoQuarantining else { return nil }
        let disk = disk(damaged)
        let repaired = try silently { try SimulatedStore(on: disk, io).open { $0.damage = .quarantine } }
        if let problem = try problem(repaired, without: frame) { return "quarantined: \(problem)" }
        let copy = try disk.open(SimulatedStore.path + ".damaged-1", .reading).read(at: 0, count: damaged.count + 1)
        if copy != damaged { return "the copy is another one" }
        try repaired.set(.int(1), for: "after")
        try repaired.closeNow()
        let again = try SimulatedStore(on: disk, io).open()
        var expected = log.contents(without: [frame])
        expected["after"] = .int(1)
        if try again.contents() != expected { return "opened again after the repair, it holds something else" }
        return try again.verify().isIntact ? nil : "not intact after the repair"
    }

    private func problem(_ store: DeviceStore, without frame: Int) throws -> String? {
        guard let damage = store.damage else { return "the damage is not reported" }
        let range = log.frames[frame].range
        if damage.ranges != [range] { return "reported are \(damage.ranges) instead of \(range)" }
        if damage.missingCommits > 1 { return "\(damage.missingCommits) commits are reported missing" }
        if damage.keysInDoubt != log.keysInDoubt(without: frame) {
            return "in doubt are \(damage.keysInDoubt) instead of \(log.keysInDoubt(without: frame))"
        }
        let found = try store.contents()
        let expected = log.contents(without: [frame])
        if damage.keptEntries != expected.count { return "\(damage.keptEntries) entries are said to be kept" }
        return found == expected ? nil : "\(found) instead of \(expected)"
    }

    /// In the header, or behind the last commit.
    private func problem(_ damaged: [UInt8], outsideCommits offset: Int) throws -> String? {
        let issues = Mutex(0)
        let store = try withIssueHandler({ _ in issues.withLock { $0 += 1 } }, operation: { try open(damaged) })
        if issues.withLock({ $0 == 0 }) { return "nothing is reported" }
        if try store.contents() != contents { return "it holds something else" }
        // A header slot that is not valid is the next to be written, which opening may have done.
        let isInSlot = offset % 2048 < 512 && offset < 4096
        if offset < 4096, !isInSlot, try store.verify().isIntact { return "verify does not see it" }
        try store.set(.int(1), for: "after")
        return try store.get("after") == .int(1) ? nil : "it can't be used"
    }
}
