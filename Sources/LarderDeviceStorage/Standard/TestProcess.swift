import Foundation

/// Whether the running program is a test runner.
package enum TestProcess {
    /// `LARDER_TEST_PROCESS=1` or `0` in the environment decides; otherwise the name of the program does.
    package static var isCurrent: Bool {
        isTestProcess(arguments: ProcessInfo.processInfo.arguments, environment: ProcessInfo.processInfo.environment)
    }

    /// Tells a test runner by how it was started.
    ///
    /// SwiftPM runs `NAMEPackageTests.xctest` on Linux (`NAMEPackageTests.exe` on Windows, `NAME-test-runner` with the newer build
    /// system), and on macOS `swiftpm-testing-helper` for Swift Testing or `xctest` for XCTest, both with the bundle as an
    /// argument. Xcode sets variables that begin with `XCTest` in whatever program hosts its tests.
    package static func isTestProcess(arguments: [String], environment: [String: String]) -> Bool {
        switch environment["LARDER_TEST_PROCESS"] {
        case "1": return true
        case "0": return false
        default: break
        }
        if environment["XCTestConfigurationFilePath"] != nil || environment["XCTestBundlePath"] != nil { return true }
        guard let program = arguments.first.map({ URL(filePath: $0).lastPathComponent }) else { return false }
        return ["xctest", "swiftpm-testing-helper", "swiftpm-xctest-helper"].contains(program)
            || [".xctest", "PackageTests", "PackageTests.exe", "-test-runner"].contains(where: program.hasSuffix)
    }
}
