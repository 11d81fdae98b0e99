import Foundation
import LarderCore
import LarderDeviceStorage
import LarderTestSupport
import Synchronization
import Testing

struct TestProcessTests {
    @Test func processWithTestingLibraryIsDetectedAsTestProcess() {
        #expect(TestProcess.isTestProcess(environment: [:], hasTestingLibrary: true))
        #expect(!TestProcess.isTestProcess(environment: [:], hasTestingLibrary: false))
    }

    @Test func inheritedXcodeVariablesAreIgnored() {
        #expect(!TestProcess.isTestProcess(environment: ["XCTestBundlePath": "/x"], hasTestingLibrary: false))
    }

    @Test func environmentOverridesTestProcessDetection() {
        #expect(TestProcess.isTestProcess(environment: ["LARDER_TEST_PROCESS": "1"], hasTestingLibrary: false))
        #expect(!TestProcess.isTestProcess(environment: ["LARDER_TEST_PROCESS": "0"], hasTestingLibrary: true))
    }

    @Test func currentProcessIsDetectedAsTestProcess() {
        #expect(TestProcess.isCurrent)
        #expect(TestProcess.hasTestingLibrary)
    }

    @Test func inMemoryStorageOfTestProcessIsReported() {
        let codes = Mutex<[LarderIssue.Code]>([])
        withIssueHandler({ issue in codes.withLock { $0.append(issue.code) } }) {
            #expect(StandardStore.openForTests().inspectionKind == "memory")
        }
        #expect(codes.withLock(\.self) == [.testProcess])
    }

    @Test func programNamedLikeTestRunnerUsesPersistentStore() throws {
        guard !StandardStore.readsLaunchArguments else { return }  // The system chooses the place.
        let folder = try TemporaryDirectory()
        let folders = [Bundle.main.bundleURL, URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()]
        let helper = try #require(
            folders.map { $0.appending(path: "DeviceStoreHelper") }
                .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        )
        for name in ["fleet-test-runner", "LoadPackageTests"] {
            let program = folder.url(name)
            try FileManager.default.copyItem(at: helper, to: program)
            let process = Process()
            process.executableURL = program
            process.arguments = ["standard", "3"]
            process.environment = ProcessInfo.processInfo.environment.merging([
                "XDG_DATA_HOME": folder.path("data"), "XCTestConfigurationFilePath": "/inherited",
            ]) { $1 }
            HeldProcess.hold(process)
            try process.start()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path("data"))
            #expect(files.contains { $0.contains(name) && $0.hasSuffix(".larder") }, "\(files)")
        }
    }
}
