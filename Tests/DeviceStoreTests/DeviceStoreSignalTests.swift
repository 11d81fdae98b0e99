import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Tests of a program that raises SIGBUS itself while Larder's handler is installed.
@Suite(.serialized) struct DeviceStoreSignalTests {
    /// The kind of handler that was installed before Larder's handler.
    enum Handler: String, CaseIterable {
        /// The handler leaves with `siglongjmp`.
        case jumping
        /// The handler maps the missing page and returns.
        case repairing
        /// The handler maps the missing page. It is installed without `siginfo` and doesn't block the signal while it runs.
        case plain
    }

    /// The way in which a program without a handler receives the signal.
    enum Unhandled: String, CaseIterable {
        case fault, sent
        /// The signal is ignored when it is sent, but can't be ignored when a fault raises it afterwards.
        case ignored
    }

    let directory: TemporaryDirectory
    var path: String { directory.path("s.larder") }

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: DeviceStoreOptions.IO.allCases, Handler.allCases)
    func signalHandlerStaysInstalledAfterExistingHandlerRecovers(
        io: DeviceStoreOptions.IO,
        handler: Handler
    ) throws {
        _ = try HelperProcess("ownHandler", io, path, [handler.rawValue]).finish()
        #expect(try DeviceStore(path: path).verify().isIntact)
    }

    @Test func existingOneShotSignalHandlerIsCalledOnce() throws {
        try dies(HelperProcess("ownHandler", .mapped, path, ["once"]))
    }

    @Test(arguments: Unhandled.allCases)
    func unrelatedFaultTerminatesProcessIfNoHandlerExists(how: Unhandled) throws {
        try dies(HelperProcess("noHandler", .mapped, path, [how.rawValue]))
    }

    /// Checks that the signal ends the process, but that a truncated control file did not end it before.
    private func dies(_ helper: HelperProcess) throws {
        let failure = #expect(throws: HelperProcess.Failure.self) { try helper.finish() }
        #expect(helper.process.terminationReason == .uncaughtSignal, "\(failure as Any)")
        #expect(helper.process.terminationStatus == SIGBUS)
        let store = try DeviceStore(path: path)
        #expect(try store.get("survived") == 1)
        #expect(try store.verify().isIntact)
    }
}
