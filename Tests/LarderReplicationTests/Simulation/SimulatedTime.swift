import Foundation
import LarderCore
import LarderFiles

/// A clock that advances only when a simulated call waits, and that then lets the rest of the world make steps.
///
/// Everything runs in one task, so a run with the same seed always takes the same course.
final class SimulatedTime: TimeSource {
    private struct State {
        var monotonic = Duration.zero
        var pass: (@Sendable () async -> Void)?
    }

    private let state = Lock(State())
    /// The seconds by which the wall clock differs from that of other machines.
    private let skew: Double
    private let parent: SimulatedTime?

    init(skew: Double = 0, of parent: SimulatedTime? = nil) {
        self.skew = skew
        self.parent = parent
    }

    /// Sets what happens while a call waits.
    func whilePassing(_ pass: @escaping @Sendable () async -> Void) { state.withLock { $0.pass = pass } }

    func advance(by duration: Duration) { state.withLock { $0.monotonic += duration } }

    var monotonic: Duration { parent?.monotonic ?? state.withLock(\.monotonic) }

    var now: Date {
        let (seconds, attoseconds) = monotonic.components
        return Date(timeIntervalSince1970: 1_800_000_000 + Double(seconds) + Double(attoseconds) / 1e18 + skew)
    }

    func sleep(for duration: Duration) async throws {
        if let parent { return try await parent.sleep(for: duration) }
        let pass = state.withLock { state in
            state.monotonic += duration
            return state.pass
        }
        await pass?()
    }
}
