package import LarderDeviceStore
import Synchronization

/// What a proof has done, and what it found.
package struct ProofReport: Sendable, CustomStringConvertible {
    /// What is counted: "images" of a disk, "kills".
    package let unit: String
    /// How many were looked at.
    package var count = 0
    /// How many programs, files or loops they came from.
    package var programs = 0
    /// What else there is to say.
    package var remark = ""
    /// The first few failures, each with all that is needed to reproduce it.
    private var failures: [String] = []
    private var failureCount = 0

    /// Nothing yet.
    package init(unit: String) { self.unit = unit }

    /// Notes something that is not as it should be.
    package mutating func fail(_ what: String) {
        failureCount += 1
        if failures.count < 10 { failures.append(what) }
    }

    /// Remarks that stores wrote in another way than was meant, because the file system allows no other: this way was proved.
    package mutating func note(_ used: DeviceStoreOptions.IO, for meant: DeviceStoreOptions.IO) {
        guard used != meant else { return }
        let words = "NOT \(meant) BUT \(used), for the file system allows no other"
        if !remark.contains(words) { remark += (remark.isEmpty ? "" : ", ") + words }
    }

    /// The failures, and one more if the proof covered less than `minimum`: a proof that covers nothing finds nothing.
    package func problems(requiring minimum: Int) -> [String] {
        guard count < minimum else { return failures }
        return failures + ["Covered \(count) \(unit), and the proof needs at least \(minimum)."]
    }

    /// How many ``problems(requiring:)`` there are, those that are not listed included.
    package func problemCount(requiring minimum: Int) -> Int { failureCount + (count < minimum ? 1 : 0) }

    /// Takes in what another part of the same proof found.
    package mutating func add(_ other: ProofReport) {
        count += other.count
        programs += other.programs
        for failure in other.failures { fail(failure) }
        failureCount += other.failureCount - other.failures.count
    }

    /// One line, and one for each failure.
    package var description: String {
        let first =
            "\(count) \(unit) in \(programs) programs\(remark.isEmpty ? "" : ", " + remark), \(failureCount) failures"
        return ([first] + failures.map { "  " + $0 }).joined(separator: "\n")
    }
}
