#if Inspector
import LarderCore
import Synchronization

/// The tables of an instance with their counts and sizes, which are counted again after a change and after some seconds.
final class CountedTables: Sendable {
    private struct Kept {
        let tables: [InspectionTable]
        let end: ContinuousClock.Instant
    }

    private struct State {
        var kept: Kept?
        /// The number of calls of ``forget()``.
        var changes = 0
    }

    private let state = Mutex(State())

    private static let lifetime = Duration.seconds(3)

    func tables(of instance: any Inspectable) throws -> [InspectionTable] {
        let (kept, changes) = state.withLock { ($0.kept, $0.changes) }
        if let kept, ContinuousClock.now < kept.end { return kept.tables }
        let tables = try instance.inspectionTables()
        state.withLock { state in
            // Tables that have changed meanwhile may have been counted before or after that.
            guard state.changes == changes else { return }
            state.kept = Kept(tables: tables, end: .now + Self.lifetime)
        }
        return tables
    }

    /// Counts again at the next call, because records have changed.
    func forget() {
        state.withLock { state in
            state.kept = nil
            state.changes &+= 1
        }
    }
}
#endif
