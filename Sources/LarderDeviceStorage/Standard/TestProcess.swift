import Foundation

/// Whether the running program is a test runner.
package enum TestProcess {
    /// `LARDER_TEST_PROCESS=1` or `0` in the environment decides; otherwise whether a testing library is part of the process.
    package static var isCurrent: Bool {
        isTestProcess(environment: ProcessInfo.processInfo.environment, hasTestingLibrary: hasTestingLibrary)
    }

    /// Decides by the environment, then by the libraries of the process.
    ///
    /// Neither the name of the program counts, which anybody may choose, nor the variables that Xcode sets, which the processes that a test
    /// starts inherit.
    package static func isTestProcess(environment: [String: String], hasTestingLibrary: Bool) -> Bool {
        switch environment["LARDER_TEST_PROCESS"] {
        case "1": true
        case "0": false
        default: hasTestingLibrary
        }
    }

    /// Whether Swift Testing or XCTest is linked or loaded: only a program that can run tests has them.
    package static var hasTestingLibrary: Bool {
        // The mangled names of `Testing.Test` and `XCTest.XCTestCase`; on Apple platforms the latter is a class of Objective-C.
        _typeByName("7Testing4TestV") != nil || _typeByName("6XCTest0A4CaseC") != nil
            || NSClassFromString("XCTestCase") != nil
    }
}
