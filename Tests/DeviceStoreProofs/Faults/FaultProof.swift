import Foundation
package import LarderDeviceStore
package import LarderFiles
import LarderTestSupport

/// A call that fails, each in turn: what the format document says of it, nothing acknowledged lost, and a store that can be
/// opened again.
///
/// The calls are those of the seam under the engine. A call that a signal cuts short does not get that far; see ``InterruptionProof``.
package enum FaultProof {
    /// How calls fail.
    package struct Fault: Sendable, Hashable, CustomStringConvertible {
        package var errno: Int32
        /// From there on every call fails.
        package var forever: Bool
        /// How many bytes a failing write has written.
        package var writing: Int
        /// What fails, where not everything does.
        package var operations: Set<FileError.Operation>?

        package var description: String {
            let which = operations == nil ? "" : ", what takes room only"
            return "errno \(errno)\(forever ? " for ever" : "")\(which), having written \(writing)"
        }

        /// Every way to fail.
        package static let all = everything + fullDisk

        private static let everything: [Fault] = [EIO, ENOSPC].flatMap { errno in
            [false, true].flatMap { forever in
                [0, 1, 13, 21, .max].map { Fault(errno: errno, forever: forever, writing: $0) }
            }
        }

        /// From one call on there is no room, as on a disk that has become full; nothing else fails.
        private static let fullDisk: [Fault] = [0, 13, .max].map { writing in
            Fault(errno: ENOSPC, forever: true, writing: writing, operations: [.write, .resize])
        }

        /// One for each way that what fails can be told from another.
        package static let few = everything.filter { $0.writing == 13 }
    }

    /// Runs the same program again and again, until the call that fails is behind its end.
    ///
    /// - Parameters:
    ///   - fault: How it fails.
    ///   - io: How the store reaches its file.
    ///   - step: From one call that fails to the next one that does, in another run.
    /// - Returns: How many calls, and what was wrong.
    package static func failEachCall(_ fault: Fault, _ io: DeviceStoreOptions.IO, stride step: Int = 1) -> ProofReport {
        var report = ProofReport(unit: "failing calls")
        report.programs = 1
        silently {
            for index in stride(from: 0, to: 10_000, by: step) {
                var run = FaultRun(fault, index, io)
                run.perform()
                report.count += 1
                for problem in run.problems { report.fail("\(io), call \(index) with \(fault): \(problem)") }
                if !run.wasReached { return }
            }
            report.fail("\(io), \(fault): the program never ends")
        }
        return report
    }
}

extension LyingFileSystem {
    /// Makes the call with this number fail.
    func fail(at index: Int, with fault: FaultProof.Fault) {
        fail(
            at: index,
            errno: fault.errno,
            forever: fault.forever,
            writing: fault.writing,
            only: fault.operations
        )
    }
}
