import Foundation

/// `UserDefaults.standard` of the test process, for tests that must use that very one.
///
/// `make test` gives the process a temporary home. `swift test` alone does not, and Foundation looks at the environment when the
/// process starts, so a test can't move it; what a test writes is taken away after it instead, and the file with it.
package enum StandardUserDefaults {
    private static let lock = NSRecursiveLock()

    /// Runs `body` while no other test that goes through here runs, and then empties `UserDefaults.standard`.
    ///
    /// The seed tests are built three times into one process, and all of them use the same keys.
    package static func exclusively<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock.lock()
        defer {
            UserDefaults.standard.removePersistentDomain(forName: ProcessInfo.processInfo.processName)
            UserDefaults.standard.synchronize()
            lock.unlock()
        }
        return try body()
    }
}
