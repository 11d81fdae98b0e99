import DeviceStoreProofs
import Foundation
import LarderDeviceStore
import LarderTestSupport
import Testing

/// Tests of the helper processes that other tests start.
@Suite struct HelperProcessTests {
    /// Checks that a helper process doesn't outlive a killed test.
    ///
    /// One of them once wrote 60 GB in half an hour.
    @Test func helperProcessExitsWhenTestEnds() throws {
        let directory = try TemporaryDirectory()
        let helper = try HelperProcess("big", .mapped, directory.path("s.larder"))
        let sibling = try HelperProcess("big", .mapped, directory.path("t.larder"))
        defer { sibling.send(SIGKILL) }
        try helper.release()
        helper.process.waitUntilExit()
        #expect(helper.process.terminationStatus == HeldProcess.inputClosedStatus)
    }

    /// Lets a helper process print as many errors as a sanitizer does if it has many findings.
    @Test func helperProcessErrorOutputCanExceedPipeCapacity() throws {
        let helper = try HelperProcess("complain", .systemCalls, "/nowhere", ["300000"])
        let failure = #expect(throws: HelperProcess.Failure.self) { try helper.finish() }
        #expect(failure.map { $0.description.count > 300_000 } == true)
    }

    /// Checks that "mapped" tests with helper processes use memory-mapped files.
    ///
    /// If this test is skipped, those tests use system calls.
    @Test(.enabled(if: HelperProcess.canMap, "nothing is mapped where temporary files lie: TMPDIR tells where"))
    func helperProcessUsesMemoryMappingIfRequested() throws {
        #expect(try HelperProcess.wayUsed(for: .mapped) == .mapped)
    }
}
