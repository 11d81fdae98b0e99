#if Objects
/// The state of a sectioned list at one point in time.
///
/// A snapshot contains ids and section titles, but no objects. A copy takes constant time, and the snapshots of a list share their
/// unchanged parts.
public struct ResultsSnapshot: Sendable {
    /// A section with its objects.
    public struct Section: Sendable, Hashable {
        /// The value that the section's objects have in common.
        public let value: SectionValue
        /// The section's title, which is empty in a list without sections.
        public let title: String
        /// The ids of the section's objects in order.
        public let ids: ResultsIDs
    }

    let entityName: String
    let index: ResultsIndex
    /// The path of the property by whose values the list is divided, or an empty path in a list without sections.
    let sectionPath: [PropertyReference]
    /// The titles of the sections.
    let titles: [SectionValue: String]

    init(
        _ entityName: String,
        _ index: ResultsIndex,
        sectionPath: [PropertyReference] = [],
        titles: [SectionValue: String] = [:]
    ) {
        self.entityName = entityName
        self.index = index
        self.sectionPath = sectionPath
        self.titles = titles
    }

    /// The sections in order.
    ///
    /// A list without sections has one section, which may be empty.
    public var sections: ResultsSections { ResultsSections(self) }

    /// The number of objects.
    public var count: Int { index.count }

    /// The ids of all objects in order.
    public var ids: ResultsIDs { ResultsIDs(entityName, index.sections.map(\.keys)) }

    /// Returns the id of the object at a path.
    ///
    /// - Parameter path: A path in this snapshot.
    public subscript(path: ResultsPath) -> ObjectID {
        ObjectID(entityName: entityName, rowID: index.sections[path.section].keys[path.item].id)
    }

    /// Returns the path of an object.
    ///
    /// The call takes a logarithmic number of steps.
    ///
    /// - Parameter id: The id of the object.
    /// - Returns: The path, or `nil` if the list does not contain the object.
    public func path(of id: ObjectID) -> ResultsPath? {
        guard id.entityName == entityName else { return nil }
        return index.key(of: id.rowID).map(index.path)
    }
}

extension ResultsSnapshot: Hashable {
    /// Returns whether two snapshots have the same sections with the same ids.
    public static func == (first: ResultsSnapshot, second: ResultsSnapshot) -> Bool {
        first.count == second.count && first.sections == second.sections
    }

    /// Hashes the sections.
    ///
    /// - Parameter hasher: The hasher to use.
    public func hash(into hasher: inout Hasher) { hasher.combine(sections) }
}
#endif
