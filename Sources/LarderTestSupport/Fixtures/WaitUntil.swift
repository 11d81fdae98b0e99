/// A test waited in vain.
package struct WaitedInVain: Error, CustomStringConvertible {
    package let description: String
}

/// Waits for something that another process does, looking every few milliseconds: the one place in the tests that sleeps.
///
/// - Parameters:
///   - limit: Generous: it is only ever reached by a test that fails.
///   - what: What is waited for, for the message.
///   - condition: Asked again and again.
/// - Throws: ``WaitedInVain`` when the limit is reached, or what `condition` throws.
package func waitUntil(
    within limit: Duration = .seconds(20),
    _ what: String = "the condition",
    _ condition: () throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < deadline else {
            throw WaitedInVain(description: "Waited \(limit) for \(what) in vain.")
        }
        try await Task.sleep(for: .milliseconds(2))
    }
}
