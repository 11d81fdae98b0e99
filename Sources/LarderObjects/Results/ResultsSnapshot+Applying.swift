#if Objects
extension ResultsSnapshot {
    /// Returns the snapshot that results from changes.
    ///
    /// The call uses only this snapshot and the changes, like a list that displays them. It takes time in proportion to the number of objects.
    ///
    /// - Parameter changes: The difference between this snapshot and a later one.
    /// - Returns: The later snapshot.
    public func applying(_ changes: ResultsChanges) -> ResultsSnapshot {
        var sections = index.sections.map { (value: $0.value, ids: $0.keys.map(\.id)) }
        var titles = titles
        for path in changes.deletions { sections[path.section].ids.remove(at: path.item) }
        for section in changes.deletedSections { titles[SectionValue(sections.remove(at: section).value)] = nil }
        for section in changes.insertedSections {
            sections.insert((section.value.column, []), at: section.index)
            titles[section.value] = section.title
        }
        for insertion in changes.insertions {
            sections[insertion.path.section].ids.insert(insertion.id.rowID, at: insertion.path.item)
        }
        let index = ResultsIndex(ordered: sections, isSectioned: index.isSectioned || sections.count != 1)
        return ResultsSnapshot(entityName, index, sectionPath: sectionPath, titles: titles)
    }
}
#endif
