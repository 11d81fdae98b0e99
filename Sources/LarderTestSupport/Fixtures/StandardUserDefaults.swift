import Foundation

/// Exclusive access to `UserDefaults.standard` for tests.
///
/// All values and their file are removed after each test. This is necessary because `swift test`, unlike `make test`, does not use a
/// temporary home folder. A test can't change the folder, because Foundation reads the environment when the process starts.
package enum StandardUserDefaults {
    private static let lock = NSRecursiveLock()

    /// Runs `body` with exclusive access to `UserDefaults.standard`, and then removes all of its values.
    ///
    /// Access must be exclusive because one test process contains the seed tests three times, with the same keys.
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
