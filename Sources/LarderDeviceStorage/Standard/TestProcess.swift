import Foundation

/// A namespace for detecting whether the running program is a test runner.
package enum TestProcess {
    /// Whether this process is a test process.
    ///
    /// The environment variable `LARDER_TEST_PROCESS` takes precedence over the check for testing libraries.
    package static var isCurrent: Bool {
        isTestProcess(environment: ProcessInfo.processInfo.environment, hasTestingLibrary: hasTestingLibrary)
    }

    /// Returns whether a process with the given environment and libraries is a test process.
    ///
    /// The program's name and Xcode's environment variables are ignored: names are arbitrary, and child processes of a test inherit the
    /// variables.
    package static func isTestProcess(environment: [String: String], hasTestingLibrary: Bool) -> Bool {
        switch environment["LARDER_TEST_PROCESS"] {
        case "1": true
        case "0": false
        default: hasTestingLibrary
        }
    }

    /// Whether Swift Testing or XCTest is linked or loaded, which is the case only in programs that can run tests.
    package static var hasTestingLibrary: Bool {
        // These are the mangled names of `Testing.Test` and `XCTest.XCTestCase`. On Apple platforms the latter is an Objective-C class.
        _typeByName("7Testing4TestV") != nil || _typeByName("6XCTest0A4CaseC") != nil
            || NSClassFromString("XCTestCase") != nil
    }
}
