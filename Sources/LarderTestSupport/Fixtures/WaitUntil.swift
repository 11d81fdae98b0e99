import LarderCore
import LarderFiles

/// A test waited in vain.
package struct WaitedInVain: Error, CustomStringConvertible {
    package let description: String

    fileprivate init(_ what: String, _ limit: Duration) { description = "Waited \(limit) for \(what) in vain." }
}

/// How much longer to look.
///
/// A turn counts for a hundredth of the limit at most: a task that comes to look again after other tests' minutes of work has not
/// waited that long for what it looks for, which had to wait its turn as well.
package struct Patience {
    private let most: Duration
    private var left: Duration
    private var lastTurn: ContinuousClock.Instant

    package init(_ limit: Duration, from now: ContinuousClock.Instant = .now) {
        most = limit / 100
        left = limit
        lastTurn = now
    }

    /// Ends a turn.
    ///
    /// - Returns: Whether it was the last.
    package mutating func isOver(at now: ContinuousClock.Instant = .now) -> Bool {
        left -= min(now - lastTurn, most)
        lastTurn = now
        return left <= .zero
    }
}

// The one place in the tests that sleeps.

private let pause = Duration.milliseconds(2)

/// Waits for something that another process does, looking every few milliseconds.
///
/// - Parameters:
///   - limit: Generous: it is only ever reached by a test that fails. See ``Patience``.
///   - what: What is waited for, for the message.
///   - condition: Asked again and again.
/// - Throws: ``WaitedInVain`` when the limit is reached, or what `condition` throws.
package func waitUntil(
    within limit: Duration = .seconds(60),
    _ what: String = "the condition",
    _ condition: () throws -> Bool
) async throws {
    var patience = Patience(limit)
    while try !condition() {
        guard !patience.isOver() else { throw WaitedInVain(what, limit) }
        try await Task.sleep(for: pause)
    }
}

/// The blocking form of ``waitUntil(within:_:_:)``, for what must go on at once: among many tests, a task that slept
/// waits its turn.
@available(*, noasync)
package func blockUntil(
    within limit: Duration = .seconds(60),
    _ what: String = "the condition",
    _ condition: () throws -> Bool
) throws {
    var patience = Patience(limit)
    while try !condition() {
        guard !patience.isOver() else { throw WaitedInVain(what, limit) }
        CurrentProcess.sleep(for: pause)
    }
}

/// Does something again for as long as it throws that somebody else has the lock of a file or a store: that is taken in no order, and one of
/// several who want it all the time may come last for longer than it waits.
@available(*, noasync)
package func insist<Result>(within limit: Duration = .seconds(120), _ body: () throws -> Result) throws -> Result {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
        do { return try body() } catch let error where isBusy(error) {}
    }
    return try body()
}

/// The form of ``insist(within:_:)`` for tasks.
package func insist<Result: Sendable>(
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
