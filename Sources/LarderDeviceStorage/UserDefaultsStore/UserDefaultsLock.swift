import Foundation
import LarderCore

/// A lock that serializes the use of `UserDefaults` among threads, without deadlocks.
///
/// Foundation's methods call client code, such as notification observers, subclass overrides and custom deallocators of `Data`. Client
/// code may read the store but can't write to it, because a nested write would split a commit. If client code blocks on a thread that
/// is waiting for the lock, that thread's wait times out.
package final class UserDefaultsLock: @unchecked Sendable {
    // Sendable because `holder` is accessed only while `condition` is locked.
    private let condition = NSCondition()
    private var holder: ObjectIdentifier?
    private let limit: Duration

    /// Creates a lock.
    ///
    /// - Parameter limit: The maximum time that a thread waits for the lock.
    package init(limit: Duration = .seconds(30)) { self.limit = limit }

    /// Runs `body`, which reads values, while this thread holds the lock.
    ///
    /// - Throws: `StoreError` with code `busy` if waiting for the lock times out; otherwise, the error that `body`
    ///   throws.
    package func reading<Result>(_ body: () throws -> Result) throws -> Result {
        guard try acquire() else { return try body() }
        defer { release() }
        return try body()
    }

    /// Runs `body`, which writes values, while this thread holds the lock.
    ///
    /// - Throws: `StoreError` with code `busy` if this thread already holds the lock, or if waiting for the lock times out; otherwise, the
    ///   error that `body` throws.
    package func writing<Result>(_ body: () throws -> Result) throws -> Result {
        guard try acquire() else { throw StoreError.nestedWrite }
        defer { release() }
        return try body()
    }

    /// Acquires the lock, unless this thread already holds it.
    ///
    /// - Returns: `true` if the lock was acquired, or `false` if this thread already holds it.
    private func acquire() throws -> Bool {
        let thread = ObjectIdentifier(Thread.current)
        condition.lock()
        defer { condition.unlock() }
        if holder == thread { return false }
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        while holder != nil {
            guard clock.now < deadline else { throw StoreError.heldTooLong }
            // Short waits limit the delay if the wall clock is changed.
            _ = condition.wait(until: Date(timeIntervalSinceNow: 0.05))
        }
        holder = thread
        return true
    }

    private func release() {
        condition.lock()
        holder = nil
        condition.signal()
        condition.unlock()
    }
}

extension StoreError {
    fileprivate static let nestedWrite = StoreError(
        .busy,
        "Nothing was written, because code that UserDefaults calls, such as a notification observer, can't write to the store. Write after that code has returned, for example in a task."
    )

    fileprivate static let heldTooLong = StoreError(
        .busy,
        "Nothing was read or written, because another thread held the lock on UserDefaults for too long. Make sure that no observer of UserDefaults notifications waits for this thread, and try again."
    )
}
