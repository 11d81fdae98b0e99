import Foundation

/// Exclusive access to `UserDefaults.standard` for tests.
///
/// All values and their file are removed after each test. This is necessary because `swift test`, unlike `make test`, does not use a
/// temporary home folder. A test can't change the folder, because Foundation reads the environment when the process starts.
package enum StandardUserDefaults {
    private static let lock = NSRecursiveLock()

    /// Runs `body` with exclusive access to `UserDefaults.standard`, and then removes all stored values.
    ///
    /// The seed tests run three times in one test process and use the same keys.
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
