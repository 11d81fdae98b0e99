#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where Larder takes the time from: expiry, retries and time-outs ask one of these, so that a test can hand in its own.
public protocol TimeSource: Sendable {
    /// The wall clock: what a stored expiry is compared with. It may jump, also backwards.
    var now: Date { get }
    /// Time since an unnamed moment, never running backwards: what waiting and elapsed time are measured with.
    var monotonic: Duration { get }
    /// Suspends until ``monotonic`` has advanced by `duration`.
    ///
    /// - Parameter duration: Zero or less returns at once.
    /// - Throws: `CancellationError` when the task is cancelled meanwhile.
    func sleep(for duration: Duration) async throws
}

/// The time of the machine.
public struct SystemTimeSource: TimeSource {
    private static let start = ContinuousClock.now

    /// The time of the machine.
    public init() {}

    /// The wall clock.
    public var now: Date { Date() }
    /// The continuous clock, which goes on while the machine sleeps.
    public var monotonic: Duration { Self.start.duration(to: .now) }
    /// Suspends on the continuous clock.
    public func sleep(for duration: Duration) async throws { try await ContinuousClock().sleep(for: duration) }
}

extension TimeSource where Self == SystemTimeSource {
    /// The time of the machine.
    public static var system: SystemTimeSource { SystemTimeSource() }
}
