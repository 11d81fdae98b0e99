#if Objects
internal import LarderCore

/// The result of salvaging a corrupt database.
public struct SalvageReport: Sendable, Hashable, Codable {
    /// The number of kept, lost and doubtful objects of one entity.
    public struct Entity: Sendable, Hashable, Codable {
        /// The name of the entity.
        public let name: String
        /// The number of objects that were copied to the new database.
        public let kept: Int
        /// The minimum and the maximum number of objects on pages that can't be read.
        ///
        /// Only the range of ids on an unreadable page is known. The lost objects may include objects in doubt. The upper bound is
        /// `Int.max` if the file header is lost too.
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
    /// Other findings, such as a lost file header, each as a sentence.
    public let notes: [String]

    /// Whether all objects were kept unchanged.
    public var isComplete: Bool {
        unknownInDoubt == 0 && repairedReferences == 0 && notes.isEmpty
            && entities.allSatisfy { $0.lost == 0...0 && $0.inDoubt == 0 }
    }

    /// The totals of all entities, worded for messages.
    var summary: String {
        let kept = entities.map(\.kept).reduce(0, +)
        let doubtful = entities.map(\.inDoubt).reduce(unknownInDoubt, +)
        let lost = entities.reduce(0...0) { $0.adding($1.lost) }
        return "\(counted(kept, "object")) kept, \(lost.words) lost, \(doubtful) in doubt, and "
            + "\(counted(repairedReferences, "reference")) to missing objects removed"
    }
}
extension ClosedRange<Int> {
    /// Returns the range of the possible sums of two numbers, one from this range and one from `other`.
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
