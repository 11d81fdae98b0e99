import LarderCore
import LarderFiles
import Synchronization

/// The durations of recent commits and syncs, which are measured only while an inspection tool observes the store.
final class CommitMeters: Sendable {
    /// The time from the call of a commit until the commit is visible.
    let commits = DurationMeter()
    /// The time that a commit waits until it is synced to disk.
    let syncs = DurationMeter()
    private let users = Atomic<Int>(0)

    init() {}

    /// Whether durations are measured.
    var isActive: Bool { users.load(ordering: .relaxed) > 0 }

    /// Begins or ends the measuring for one observer.
    func count(_ difference: Int) {
        guard users.wrappingAdd(difference, ordering: .relaxed).newValue == 0 else { return }
        commits.removeAll()
        syncs.removeAll()
    }

    /// Returns the current time, or `nil` if durations are not measured.
    func start(_ place: Place) -> Duration? { isActive ? place.environment.time.monotonic : nil }

    /// The percentiles of the durations, or an empty array if they are not measured.
    var statistics: [InspectionStatistic] {
        guard isActive else { return [] }
        return commits.statistics("commit") + syncs.statistics("sync")
    }
}

/// The last durations of one kind of operation.
final class DurationMeter: Sendable {
    private struct State {
        var seconds: [Float] = []
        var next = 0
    }

    /// The number of durations from which percentiles are calculated.
    private static let capacity = 1_024
    private static let percentiles = [50, 95, 99]

    private let state = Mutex(State())

    init() {}

    /// Adds the time since `start`.
    func add(since start: Duration, _ place: Place) {
        let duration = place.environment.time.monotonic - start
        state.withLock { state in
            if state.seconds.count < Self.capacity { state.seconds.append(0) }
            state.seconds[state.next] = Float(duration / .seconds(1))
            state.next = (state.next + 1) % Self.capacity
        }
    }

    func removeAll() {
        state.withLock { state in
            state.seconds = []
            state.next = 0
        }
    }

    /// Returns the percentiles of the last durations, or an empty array if there are none.
    func statistics(_ name: String) -> [InspectionStatistic] {
        let seconds = state.withLock(\.seconds).sorted()
        guard !seconds.isEmpty else { return [] }
        return Self.percentiles.map { percentile in
            let place = (seconds.count - 1) * percentile / 100
            return InspectionStatistic("\(name), \(percentile)th percentile", Double(seconds[place]), .gauge, .seconds)
        }
    }
}
