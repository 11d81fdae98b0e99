#if Objects
internal import LarderCore

/// The result of salvaging a corrupt database.
public struct SalvageReport: Sendable, Hashable, Codable {
    /// The numbers of kept, lost and doubtful objects of one entity.
    public struct Entity: Sendable, Hashable, Codable {
        /// The name of the entity.
        public let name: String
        /// The number of objects that were copied to the new database.
        public let kept: Int
        /// The minimum and the maximum number of objects that can't be read.
        ///
        /// The count is based on the entity's indexes, on references to the objects, and on the range of ids on an unreadable page. If an
        /// index is intact, the upper bound is correct even if pages of the entity were replaced by other pages. Otherwise, see
        /// ``SalvageReport/hasReplacedPages``. The lost objects may include objects in doubt. The upper bound is `Int.max` if the file
        /// header is lost.
        public let lost: ClosedRange<Int>
        /// The number of objects in the table `larder_in_doubt` of the new database.
        public let inDoubt: Int
    }

    /// The results for each entity of the model, sorted by name.
    public let entities: [Entity]
    /// The number of rows in doubt that match several entities or none.
    public let unknownInDoubt: Int
    /// The number of references that were removed because they point to missing objects.
    public let repairedReferences: Int
    /// Whether pages of the file contradict each other, because a page was replaced by an older version of itself or by another page.
    ///
    /// If so, more objects may be lost than ``Entity/lost`` counts, and objects may have values from before the last commit.
    public let hasReplacedPages: Bool
    /// Messages about other findings, such as a lost file header.
    public let notes: [String]

    /// Whether all objects were kept unchanged.
    public var isComplete: Bool {
        unknownInDoubt == 0 && repairedReferences == 0 && !hasReplacedPages && notes.isEmpty
            && entities.allSatisfy { $0.lost == 0...0 && $0.inDoubt == 0 }
    }

    /// A summary of the totals of all entities, for use in messages.
    var summary: String {
        let kept = entities.map(\.kept).reduce(0, +)
        let doubtful = entities.map(\.inDoubt).reduce(unknownInDoubt, +)
        let lost = entities.reduce(0...0) { $0.adding($1.lost) }
        return
            "\(counted(kept, "object")) kept, \(lost.words) lost\(hasReplacedPages ? " (possibly more)" : ""), \(doubtful) in doubt, and "
            + "\(counted(repairedReferences, "reference")) to missing objects removed"
    }
}
extension ClosedRange<Int> {
    /// Returns a range whose bounds are the sums of the bounds of this range and `other`.
    ///
    /// An upper bound that would overflow is `Int.max`.
    func adding(_ other: ClosedRange<Int>) -> ClosedRange<Int> {
        let (upper, isUnknown) = upperBound.addingReportingOverflow(other.upperBound)
        return lowerBound + other.lowerBound...(isUnknown ? .max : upper)
    }

    /// The range in words, such as "3 to 5" or "3 or more".
    var words: String {
        if lowerBound == upperBound { return "\(lowerBound)" }
        return upperBound == .max ? "\(lowerBound) or more" : "\(lowerBound) to \(upperBound)"
    }
}
#endif
