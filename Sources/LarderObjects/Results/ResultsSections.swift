#if Objects
/// The sections of a list in order.
public struct ResultsSections: RandomAccessCollection, Sendable, Hashable {
    private let entityName: String
    private let sections: [ResultsIndex.Section]
    private let titles: [SectionValue: String]

    init(_ snapshot: ResultsSnapshot) {
        entityName = snapshot.entityName
        sections = snapshot.index.sections
        titles = snapshot.titles
    }

    /// The index of the first section, which is 0.
    public var startIndex: Int { 0 }
    /// The number of sections.
    public var endIndex: Int { sections.count }

    /// Returns the section at an index.
    ///
    /// - Parameter index: The index, which starts at 0.
    public subscript(index: Int) -> ResultsSnapshot.Section {
        let section = sections[index]
        let value = SectionValue(section.value)
        return ResultsSnapshot.Section(
            value: value,
            title: titles[value] ?? "",
            ids: ResultsIDs(entityName, [section.keys])
        )
    }

    /// Returns whether two collections contain the same sections in the same order.
    public static func == (first: ResultsSections, second: ResultsSections) -> Bool {
        first.count == second.count && first.elementsEqual(second)
    }

    /// Hashes the sections.
    ///
    /// - Parameter hasher: The hasher to use.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for section in self { hasher.combine(section) }
    }
}
#endif
