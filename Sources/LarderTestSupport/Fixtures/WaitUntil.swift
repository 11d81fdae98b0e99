import LarderCore
import LarderFiles

/// An error thrown when a wait reaches its time limit.
package struct WaitTimeout: Error, CustomStringConvertible {
    package let description: String

    fileprivate init(_ what: String, _ limit: Duration) {
        description = "Waiting for \(what) timed out after \(limit)."
    }
}

/// A time limit for repeated checks of a condition.
///
/// Each interval between checks reduces the remaining time by at most a hundredth of the limit, because a longer interval may mean that
/// the awaited work was suspended as well.
package struct Patience {
    private let most: Duration
    private var left: Duration
    private var lastTurn: ContinuousClock.Instant

    package init(_ limit: Duration, from now: ContinuousClock.Instant = .now) {
        most = limit / 100
        left = limit
        lastTurn = now
    }

    /// Subtracts the time since the previous check from the remaining time.
    ///
    /// - Returns: `true` if the time limit has been reached.
    package mutating func isOver(at now: ContinuousClock.Instant = .now) -> Bool {
        left -= min(now - lastTurn, most)
        lastTurn = now
        return left <= .zero
    }
}

// No other code in the tests sleeps.

private let pause = Duration.milliseconds(2)

/// Waits until another process or thread makes a condition true, checking the condition every few milliseconds.
///
/// - Parameters:
///   - limit: The time limit, which only failing tests reach; see ``Patience``.
///   - what: The name of the condition, for the error message.
///   - condition: A closure that returns whether the condition holds.
/// - Throws: ``WaitTimeout`` if the limit is reached, or the error that `condition` throws.
package func waitUntil(
    within limit: Duration = .seconds(60),
    _ what: String = "the condition",
    _ condition: () throws -> Bool
) async throws {
    var patience = Patience(limit)
    while try !condition() {
        guard !patience.isOver() else { throw WaitTimeout(what, limit) }
        try await Task.sleep(for: pause)
    }
}

/// Blocks the thread until a condition holds.
///
/// Unlike ``waitUntil(within:_:_:)``, this call is not delayed if many other tests are running.
@available(*, noasync)
package func blockUntil(
    within limit: Duration = .seconds(60),
    _ what: String = "the condition",
    _ condition: () throws -> Bool
) throws {
    var patience = Patience(limit)
    while try !condition() {
        guard !patience.isOver() else { throw WaitTimeout(what, limit) }
        CurrentProcess.sleep(for: pause)
    }
}

/// Runs `body`, and retries as long as it fails because a file or store is busy.
///
/// Locks are not fair, so a thread may have to wait for a lock longer than its time limit.
@available(*, noasync)
package func retryWhileBusy<Result>(
    within limit: Duration = .seconds(120),
    _ body: () throws -> Result
) throws -> Result {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
        do { return try body() } catch let error where isBusy(error) {}
    }
    return try body()
}

/// Runs the asynchronous `body`, and retries as long as it fails because a file or store is busy.
package func retryWhileBusy<Result: Sendable>(
    within limit: Duration = .seconds(120),
    _ body: () async throws -> Result
) async throws -> Result {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
        do { return try await body() } catch let error where isBusy(error) {}
    }
    return try await body()
}

private func isBusy(_ error: any Error) -> Bool {
    (error as? FileError)?.code == .busy || (error as? StoreError)?.code == .busy
}
