import LarderDeviceStorage
import Testing

struct TestProcessTests {
    @Test(arguments: [
        "/p/.build/debug/larderPackageTests.xctest", "C:/p/larderPackageTests.exe",
        "/p/.build/debug/larder-test-runner",
        "/usr/libexec/swift/pm/swiftpm-testing-helper", "/Applications/Xcode.app/usr/bin/xctest",
    ])
    func testRunnerIsRecognised(program: String) {
        #expect(TestProcess.isTestProcess(arguments: [program], environment: [:]))
    }

    @Test(arguments: ["/usr/bin/server", "/opt/latest", "xctest-report", ""])
    func otherProgramIsNone(program: String) {
        #expect(!TestProcess.isTestProcess(arguments: [program, "--testing-library", "a.xctest"], environment: [:]))
    }

    @Test func programThatHostsTestsIsRecognised() {
        #expect(TestProcess.isTestProcess(arguments: ["/App"], environment: ["XCTestConfigurationFilePath": "/x"]))
        #expect(TestProcess.isTestProcess(arguments: ["/App"], environment: ["XCTestBundlePath": "/x"]))
    }

    @Test func environmentDecides() {
        #expect(TestProcess.isTestProcess(arguments: ["/App"], environment: ["LARDER_TEST_PROCESS": "1"]))
        #expect(!TestProcess.isTestProcess(arguments: ["/xctest"], environment: ["LARDER_TEST_PROCESS": "0"]))
    }

    @Test func noArgumentsAreNoTestRunner() {
        #expect(!TestProcess.isTestProcess(arguments: [], environment: [:]))
    }

    @Test func thisProcessIsOne() { #expect(TestProcess.isCurrent) }
}
