import DeviceStoreProofs
import Foundation
import LarderDeviceStore
import LarderTestSupport
import Testing

/// The processes that tests start.
@Suite struct HelperProcessTests {
    /// A run of the tests that was killed once left a process that wrote for half an hour, and 60 GB.
    @Test func aHelperEndsWithTheTestThatStartedIt() throws {
        let directory = try TemporaryDirectory()
        let helper = try HelperProcess("big", .mapped, directory.path("s.larder"))
        let sibling = try HelperProcess("big", .mapped, directory.path("t.larder"))
        defer { sibling.send(SIGKILL) }
        try helper.letGo()
        helper.process.waitUntilExit()
        #expect(helper.process.terminationStatus == HeldProcess.endedLetGo)
    }

    /// As one does in which a sanitizer finds much.
    @Test func aHelperMayComplainOfMoreThanAPipeHolds() throws {
        let helper = try HelperProcess("complain", .systemCalls, "/nowhere", ["300000"])
        let failure = #expect(throws: HelperProcess.Failure.self) { try helper.finish() }
        #expect(failure.map { $0.description.count > 300_000 } == true)
    }

    /// Where it is skipped "mapped" stands for system calls wherever processes are started, which proves these then.
    @Test(.enabled(if: HelperProcess.canMap, "nothing is mapped where temporary files lie: TMPDIR tells where"))
    func whatIsMeantToBeMappedIsMapped() throws {
        #expect(try HelperProcess.wayUsed(for: .mapped) == .mapped)
    }
}
