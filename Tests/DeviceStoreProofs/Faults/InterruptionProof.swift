package import LarderDeviceStore
import LarderTestSupport

/// Signals that cut system calls short, each in turn, in a real process on the real file system: nobody notices.
///
/// Below the seam at which ``FaultProof`` lets calls fail: what continues them is what is tried here.
package enum InterruptionProof {
    /// How calls are cut short.
    package enum Way: String, CaseIterable, Sendable {
        /// One call ends with EINTR, having done nothing.
        case cutOne
        /// It and every later one do, two times each.
        case cutEachTwice
        /// One call has read or written half of what it should, and says so.
        case halveOne
        /// It and every later one have, however often they are continued.
        case halveEach
        /// It and every later one do nothing the first time, and half the second.
        case cutAndHalveEach

        /// Whether one call is cut short and no other.
        package var isOnce: Bool { self == .cutOne || self == .halveOne }
    }

    /// Runs a program of every kind of operation again and again, until the call that is the first to be cut short is behind its end.
    ///
    /// - Parameters:
    ///   - way: How it is.
    ///   - io: How the store reaches its file.
    ///   - step: From one call that is the first to the next one that is, in another run.
    /// - Returns: How many calls were the first, and what was wrong; nothing where calls can't be cut short.
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
