import Foundation
package import LarderDeviceStore
package import LarderFiles
import LarderTestSupport

/// A proof that the store handles failing calls as the format document specifies.
///
/// The store must lose no acknowledged commit and must be usable after it is opened again. The failing calls are those of the engine's file
/// system interface. ``InterruptionProof`` covers system calls that are interrupted below this interface.
package enum FaultProof {
    /// The way in which calls fail.
    package struct Fault: Sendable, Hashable, CustomStringConvertible {
        package var errno: Int32
        /// Whether all later calls fail too.
        package var forever: Bool
        /// The number of bytes that a failing write writes before it fails.
        package var writing: Int
        /// The operations that fail, or `nil` for all.
        package var operations: Set<FileError.Operation>?

        package var description: String {
            let which = operations == nil ? "" : ", what takes room only"
            return "errno \(errno)\(forever ? " for ever" : "")\(which), having written \(writing)"
        }

        /// All faults, including those of a full disk.
        package static let all = everything + fullDisk

        private static let everything: [Fault] = [EIO, ENOSPC].flatMap { errno in
            [false, true].flatMap { forever in
                [0, 1, 13, 21, .max].map { Fault(errno: errno, forever: forever, writing: $0) }
            }
        }

        /// The faults of a disk that becomes full, on which all writes from one call on fail and all other calls succeed.
        private static let fullDisk: [Fault] = [0, 13, .max].map { writing in
            Fault(errno: ENOSPC, forever: true, writing: writing, operations: [.write, .resize])
        }

        /// One fault for each distinguishable behavior.
        package static let few = everything.filter { $0.writing == 13 }
    }

    /// Runs the same program repeatedly, each time with a later failing call, until the program ends before that call.
    ///
    /// - Parameters:
    ///   - fault: The way in which the call fails.
    ///   - io: The IO mode of the store.
    ///   - step: The distance between the failing calls of consecutive runs.
    /// - Returns: The number of calls, and the failures.
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

extension SimulatedFileSystem {
    /// Makes the call with number `index` fail.
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
