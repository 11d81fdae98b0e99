#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A replaceable source of time for expiry, retries and timeouts.
public protocol TimeSource: Sendable {
    /// The wall-clock time, which is compared with stored expiry dates.
    ///
    /// The time may jump forward and backward.
    var now: Date { get }
    /// The time elapsed since an arbitrary moment, which never decreases.
    ///
    /// Waits and elapsed times are measured with this clock.
    var monotonic: Duration { get }
    /// Suspends until ``monotonic`` has advanced by `duration`.
    ///
    /// - Parameter duration: The time to wait. If the duration is zero or negative, the call returns immediately.
    /// - Throws: `CancellationError` if the task is canceled.
    func sleep(for duration: Duration) async throws
}

/// A time source that reads the system clocks.
public struct SystemTimeSource: TimeSource {
    private static let start = ContinuousClock.now

    /// Creates a time source that reads the system clocks.
    public init() {}

    /// The wall-clock time.
    public var now: Date { Date() }
    /// The time elapsed on the continuous clock, which advances while the machine sleeps.
    public var monotonic: Duration { Self.start.duration(to: .now) }
    /// Suspends until the continuous clock has advanced by `duration`.
    public func sleep(for duration: Duration) async throws { try await ContinuousClock().sleep(for: duration) }
}

extension TimeSource where Self == SystemTimeSource {
    /// A time source that reads the system clocks.
    public static var system: SystemTimeSource { SystemTimeSource() }
}
