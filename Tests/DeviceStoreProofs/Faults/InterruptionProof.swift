package import LarderDeviceStore
import LarderTestSupport

/// System calls interrupted by signals, one after the other, in a real process on the real file system, without an effect on the store.
///
/// The interruptions are below the interface at which ``FaultProof`` lets calls fail, and test the code that continues calls.
package enum InterruptionProof {
    /// The way in which calls are interrupted.
    package enum Way: String, CaseIterable, Sendable {
        /// One call fails with EINTR and has no effect.
        case cutOne
        /// That call and every later one do so, twice each.
        case cutEachTwice
        /// One call reads or writes half of its bytes and returns their number.
        case halveOne
        /// That call and every later one do so, however often they are continued.
        case halveEach
        /// That call and every later one fail with EINTR first, and do half on the second try.
        case cutAndHalveEach

        /// Whether only one call is interrupted.
        package var isOnce: Bool { self == .cutOne || self == .halveOne }
    }

    /// Runs a program with every kind of operation repeatedly, until the first interrupted call is beyond its end.
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
