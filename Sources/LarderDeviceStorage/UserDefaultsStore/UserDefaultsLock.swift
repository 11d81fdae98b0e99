import Foundation
import LarderCore

/// Lets one thread at a time use `UserDefaults`, without ever waiting for itself or without end.
///
/// Foundation runs other code inside its calls: observers of its notifications, methods of subclasses, deallocators of bytes. Such code
/// may read the store. What it writes would come between the parts of a commit, so that is refused; and where it waits for another
/// thread that wants the lock, that thread gives up first.
package final class UserDefaultsLock: @unchecked Sendable {
    // Sendable because `holder` is reached while `condition` is locked, and nowhere else.
    private let condition = NSCondition()
    private var holder: ObjectIdentifier?
    private let limit: Duration

    /// - Parameter limit: How long a thread waits for another one.
    package init(limit: Duration = .seconds(30)) { self.limit = limit }

    /// Runs `body`, which reads, while no other thread has the lock.
    ///
    /// - Throws: ``StoreError`` with code `busy` when another thread has it for longer than the limit, and what `body` throws.
    package func reading<Result>(_ body: () throws -> Result) throws -> Result {
        guard try acquire() else { return try body() }
        defer { release() }
        return try body()
    }

    /// Runs `body`, which writes, while no other thread has the lock.
    ///
    /// - Throws: ``StoreError`` with code `busy` when this thread has it already, or another one for longer than the limit, and what `body`
    ///   throws.
    package func writing<Result>(_ body: () throws -> Result) throws -> Result {
        guard try acquire() else { throw StoreError.nestedWrite }
        defer { release() }
        return try body()
    }

    /// - Returns: `false` when this thread has the lock already.
    private func acquire() throws -> Bool {
        let thread = ObjectIdentifier(Thread.current)
        condition.lock()
        defer { condition.unlock() }
        if holder == thread { return false }
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        while holder != nil {
            guard clock.now < deadline else { throw StoreError.heldTooLong }
            // A wall clock that is set ends one wait early and not all of them.
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
        "UserDefaults is being used by this thread, and the code that it runs meanwhile, such as an observer of its notifications, can't write to the store. Nothing was changed; write when that code has returned, for example in a task."
    )

    fileprivate static let heldTooLong = StoreError(
        .busy,
        "Another thread has used UserDefaults for too long. Nothing was changed; if an observer of its notifications waits for this thread, let it return first, else try again later."
    )
}
