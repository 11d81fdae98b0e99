package import LarderDeviceStore
import Synchronization

/// The coverage and the failures of a proof.
package struct ProofReport: Sendable, CustomStringConvertible {
    /// The unit of `count`, such as "images" of a disk or "kills".
    package let unit: String
    /// The number of checks.
    package var count = 0
    /// The number of checks that were chosen at random.
    package var sampled = 0
    /// The number of programs, files or loops that were checked.
    package var programs = 0
    /// A remark that the description includes.
    package var remark = ""
    /// The first failures, with the data to reproduce them.
    private var failures: [String] = []
    private var failureCount = 0

    /// Creates an empty report.
    package init(unit: String) { self.unit = unit }

    /// Adds a failure.
    package mutating func fail(_ what: String) {
        failureCount += 1
        if failures.count < 10 { failures.append(what) }
    }

    /// Adds a remark if stores used another IO mode than intended, because the file system supports no other.
    package mutating func note(_ used: DeviceStoreOptions.IO, for meant: DeviceStoreOptions.IO) {
        guard used != meant else { return }
        let words = "NOT \(meant) BUT \(used), for the file system allows no other"
        if !remark.contains(words) { remark += (remark.isEmpty ? "" : ", ") + words }
    }

    /// Returns the failures, and an additional one if the proof made fewer than `minimum` checks.
    package func problems(requiring minimum: Int) -> [String] {
        guard count < minimum else { return failures }
        return failures + ["Covered \(count) \(unit), and the proof needs at least \(minimum)."]
    }

    /// Returns the number of ``problems(requiring:)``, including failures that are not listed.
    package func problemCount(requiring minimum: Int) -> Int { failureCount + (count < minimum ? 1 : 0) }

    /// Adds the report of another part of the same proof.
    package mutating func add(_ other: ProofReport) {
        count += other.count
        sampled += other.sampled
        programs += other.programs
        for failure in other.failures { fail(failure) }
        failureCount += other.failureCount - other.failures.count
    }

    /// One line for the coverage, and one for each failure.
    package var description: String {
        let first =
            "\(count) \(unit) in \(programs) programs\(remark.isEmpty ? "" : ", " + remark), \(failureCount) failures"
        return ([first] + failures.map { "  " + $0 }).joined(separator: "\n")
    }
}
