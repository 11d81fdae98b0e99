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

/// A program meets SIGBUS for reasons of its own, and Larder's handler is in between.
@Suite(.serialized) struct DeviceStoreSignalTests {
    /// Handlers that were there before.
    enum Handler: String, CaseIterable {
        /// Leaves by `siglongjmp`.
        case jumping
        /// Maps what is missing and returns.
        case repairing
        /// The same, without being told where, and without the signal being blocked meanwhile.
        case plain
    }

    /// How a program without a handler meets it.
    enum Unhandled: String, CaseIterable {
        case fault, sent
        /// Sent, which is ignored, and then as a fault, which can't be.
        case ignored
    }

    let directory: TemporaryDirectory
    var path: String { directory.path("s.larder") }

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: DeviceStoreOptions.IO.allCases, Handler.allCases)
    func whatAnotherHandlerRecoversFromLeavesLardersInPlace(io: DeviceStoreOptions.IO, handler: Handler) throws {
        _ = try HelperProcess("ownHandler", io, path, [handler.rawValue]).finish()
        #expect(try DeviceStore(path: path).verify().isIntact)
    }

    @Test func aHandlerForOneSignalIsCalledForOne() throws {
        try dies(HelperProcess("ownHandler", .mapped, path, ["once"]))
    }

    @Test(arguments: Unhandled.allCases)
    func withoutAHandlerTheProcessEndsByTheSignal(how: Unhandled) throws {
        try dies(HelperProcess("noHandler", .mapped, path, [how.rawValue]))
    }

    /// By the signal, after a control file that was cut did not end it.
    private func dies(_ helper: HelperProcess) throws {
        let failure = #expect(throws: HelperProcess.Failure.self) { try helper.finish() }
        #expect(helper.process.terminationReason == .uncaughtSignal, "\(failure as Any)")
        #expect(helper.process.terminationStatus == SIGBUS)
        let store = try DeviceStore(path: path)
        #expect(try store.get("survived") == 1)
        #expect(try store.verify().isIntact)
    }
}
