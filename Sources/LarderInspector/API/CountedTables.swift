#if Inspector
import LarderCore
import Synchronization

/// The tables of an instance with their counts and sizes, which are counted again after some seconds.
final class CountedTables: Sendable {
    private struct Kept {
        let tables: [InspectionTable]
        let end: ContinuousClock.Instant
    }

    private let kept = Mutex<Kept?>(nil)

    private static let lifetime = Duration.seconds(3)

    func tables(of instance: any Inspectable) throws -> [InspectionTable] {
        if let kept = kept.withLock(\.self), ContinuousClock.now < kept.end { return kept.tables }
        let tables = try instance.inspectionTables()
        kept.withLock { $0 = Kept(tables: tables, end: .now + Self.lifetime) }
        return tables
    }
}
#endif
