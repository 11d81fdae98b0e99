#if Objects
internal import Synchronization

/// The times at which one manager trims the history.
///
/// The manager also counts the tokens of others, because its own tokens may never be multiples of the interval. The class is thread-safe.
final class TrimmingSchedule: Sendable {
    /// The number of tokens between two trimmings.
    static let interval: Int64 = 256

    /// The number of bytes that this manager has recorded since the size of the history was measured, or `nil` before the first time.
    private let recorded = Mutex<Int?>(nil)
    /// The token from which the manager counts.
    private let last: Mutex<Int64>

    /// - Parameters:
    ///   - newest: The token of the newest save when the manager was opened.
    ///   - trimmed: The newest token that was removed from the history.
    init(newest: Int64, trimmed: Int64) {
        // The managers before this one may each have had only a few saves, between those of other programs.
        let isOverdue = newest - trimmed > Int64(SaveRecorder.keptRows) + Self.interval
        last = Mutex(isOverdue ? trimmed : newest)
    }

    /// Returns whether the history must be trimmed, and counts from `token` from now on.
    func isDue(at token: Int64) -> Bool {
        last.withLock { last in
            defer { last = token }
            return token / Self.interval != last / Self.interval
        }
    }

    /// Notes that the manager has recorded a save.
    func note(bytes: Int) { recorded.withLock { $0 = $0.map { $0 + bytes } } }

    /// Returns whether the size of the history must be measured to keep it within a limit.
    ///
    /// Measuring reads the whole history, so a manager must have recorded an eighth of the limit since it measured the size.
    func isDue(forSize limit: Int) -> Bool {
        recorded.withLock { recorded in
            guard recorded.map({ $0 >= limit / 8 }) ?? true else { return false }
            recorded = 0
            return true
        }
    }
}
#endif
