package import LarderDeviceStore
import LarderTestSupport

/// A proof that system calls interrupted by signals have no effect on the store, in a real process on the real file system.
///
/// The calls are interrupted below the interface at which ``FaultProof`` makes calls fail, to test the code that resumes them.
package enum InterruptionProof {
    /// The way in which calls are interrupted.
    package enum Way: String, CaseIterable, Sendable {
        /// One call fails with EINTR and has no effect.
        case cutOne
        /// One call and all later calls fail with EINTR twice each.
        case cutEachTwice
        /// One call reads or writes half of its bytes and returns their number.
        case halveOne
        /// One call and all later calls read or write half of their bytes, even when they are resumed.
        case halveEach
        /// One call and all later calls fail with EINTR first, and read or write half of their bytes on the second attempt.
        case cutAndHalveEach

        /// Whether only one call is interrupted.
        package var isOnce: Bool { self == .cutOne || self == .halveOne }
    }

    /// Runs a program with every kind of operation repeatedly, each time interrupting a later call, until the program ends before that
    /// call.
    ///
    /// - Parameters:
    ///   - way: The way in which calls are interrupted.
    ///   - io: The IO mode of the store.
    ///   - step: The distance between the first interrupted calls of consecutive runs.
    /// - Returns: The number of calls, and the failures; an empty report on platforms where calls can't be interrupted.
    package static func cutEachCall(_ way: Way, _ io: DeviceStoreOptions.IO, stride step: Int = 1) -> ProofReport {
        var report = ProofReport(unit: "calls cut short")
        report.programs = 1
        do {
            let directory = try TemporaryDirectory()
            let printed = try HelperProcess("sweep", io, directory.path, [way.rawValue, "\(step)"]).finish()
            report.count = try count(printed)
        } catch {
            report.fail("\(io), \(way.rawValue): \(error)")
        }
        return report
    }

    private static func count(_ printed: String) throws -> Int {
        if printed == "unsupported\n" { return 0 }
        let numbers = printed.split { $0.isWhitespace }.compactMap { Int($0) }
        guard numbers.count == 3 else { throw HelperProcess.Failure(description: "It printed \(printed)") }
        return numbers[1]
    }
}
