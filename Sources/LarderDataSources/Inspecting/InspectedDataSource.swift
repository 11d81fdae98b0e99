public import LarderCore
import Synchronization

/// A cache or repository, as inspection tools display it: how often it answers by itself, and what it holds.
public struct InspectedDataSource: Inspectable {
    /// The name for display.
    public let inspectionName: String
    /// The kind, such as "cache repository".
    public let inspectionKind: String
    private let statistics: @Sendable () -> [InspectionStatistic]

    /// Creates the display of a cache in memory.
    ///
    /// - Parameters:
    ///   - source: The cache.
    ///   - name: A name that distinguishes the cache from others.
    public init<Source>(_ source: TimedCacheDataSource<Source>, name: String) {
        inspectionName = name
        inspectionKind = "timed cache"
        statistics = { source.inspectionStatistics }
    }

    /// Creates the display of a repository with a cache.
    ///
    /// - Parameters:
    ///   - repository: The repository.
    ///   - name: A name that distinguishes the repository from others.
    public init<Main, Cache>(_ repository: CacheRepository<Main, Cache>, name: String) {
        inspectionName = name
        inspectionKind = "cache repository"
        statistics = { repository.inspectionStatistics }
    }

    /// The role `InspectionRole.dataSource`.
    public var inspectionRole: InspectionRole { .dataSource }
    /// The channel that reports values that can't be cached or refreshed.
    public var inspectionIssues: IssueChannel? { .shared }

    /// Returns the statistics as facts.
    public func inspectionFacts() -> [InspectionFact] {
        statistics().map { statistic in
            let number = statistic.number
            let text = statistic.unit == .seconds ? "\(number) s" : number < 1e15 ? String(Int(number)) : "\(number)"
            return InspectionFact(statistic.name, text)
        }
    }

    /// Returns no rows, because the values belong to the sources.
    public func inspectionRows(prefix: String, limit: Int) -> [InspectionRow] { [] }

    /// Returns the numbers of hits, misses, fetches under way and held values, and the ages of the held values.
    public func inspectionStatistics() -> [InspectionStatistic] { statistics() }
}

/// How often a cache had the value that was asked for.
final class CacheCounts: Sendable {
    private let hits = Atomic<Int>(0)
    private let misses = Atomic<Int>(0)

    func noteHit() { hits.wrappingAdd(1, ordering: .relaxed) }

    func noteMiss() { misses.wrappingAdd(1, ordering: .relaxed) }

    var statistics: [InspectionStatistic] {
        [
            InspectionStatistic("hits", Double(hits.load(ordering: .relaxed)), .counter),
            InspectionStatistic("misses", Double(misses.load(ordering: .relaxed)), .counter),
        ]
    }
}
