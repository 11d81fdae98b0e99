package import LarderStores
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
    /// What was not as it should be, each with all that is needed to see it again; the first few.
    package private(set) var failures: [String] = []
    /// How often something was not as it should be.
    package private(set) var failureCount = 0

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
