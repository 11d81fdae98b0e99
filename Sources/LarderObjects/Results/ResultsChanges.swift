#if Objects
/// The difference between two snapshots of a list.
///
/// A list that knows only the old snapshot applies ``deletions``, ``deletedSections``, ``insertedSections``, ``insertions`` and ``updates``,
/// in this order. A moved object is a deletion and an insertion, and is named in ``moves`` besides.
public struct ResultsChanges: Sendable, Hashable {
    /// A section that is new in the list.
    public struct SectionInsertion: Sendable, Hashable {
        /// The section's index in the new snapshot.
        public let index: Int
        /// The value that the section's objects have in common.
        public let value: SectionValue
        /// The section's title.
        public let title: String
    }
    /// An object that is new at a path.
    public struct Insertion: Sendable, Hashable {
        /// The path in the new snapshot.
        public let path: ResultsPath
        /// The id of the object.
        public let id: ObjectID
    }
    /// An object with a different position among the other objects of the list.
    public struct Move: Sendable, Hashable {
        /// The id of the object.
        public let id: ObjectID
        /// The path in the old snapshot.
        public let from: ResultsPath
        /// The path in the new snapshot.
        public let to: ResultsPath
        /// The names of the changed properties, or `nil` if they are not known.
        ///
        /// The set is empty if the object moved only because a related object has changed.
        public let properties: Set<String>?
    }
    /// An object with changed properties.
    public struct Update: Sendable, Hashable {
        /// The path in the new snapshot.
        public let path: ResultsPath
        /// The id of the object.
        public let id: ObjectID
        /// The names of the changed properties, or `nil` if they are not known.
        public let properties: Set<String>?
    }

    /// The paths of the deleted and moved objects in the old snapshot, from the last to the first.
    public let deletions: [ResultsPath]
    /// The indexes of the deleted sections in the old snapshot, from the last to the first.
    ///
    /// All objects of a deleted section are in ``deletions``.
    public let deletedSections: [Int]
    /// The inserted sections, from the first to the last.
    ///
    /// All objects of an inserted section are in ``insertions``.
    public let insertedSections: [SectionInsertion]
    /// The inserted and moved objects, from the first to the last.
    public let insertions: [Insertion]
    /// The moved objects, in the order of their new paths.
    public let moves: [Move]
    /// The other objects with changed properties, in the order of their new paths.
    public let updates: [Update]

    /// Whether the snapshots are equal and no object has changed.
    public var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && updates.isEmpty && deletedSections.isEmpty
            && insertedSections.isEmpty
    }
}

extension ResultsChanges {
    static let none = ResultsChanges(
        deletions: [],
        deletedSections: [],
        insertedSections: [],
        insertions: [],
        moves: [],
        updates: []
    )

    /// Creates the changes for users from a difference of indexes.
    ///
    /// - Parameters:
    ///   - difference: The difference.
    ///   - snapshot: The new snapshot.
    ///   - properties: Returns the names of a row's changed properties, or `nil` if they are not known. The set is empty if only related
    ///     objects have changed.
    init(_ difference: IndexDifference, in snapshot: ResultsSnapshot, properties: (Int64) -> Set<String>?) {
        func id(_ row: Int64) -> ObjectID { ObjectID(entityName: snapshot.entityName, rowID: row) }
        deletions = difference.deletions
        deletedSections = difference.deletedSections
        insertedSections = difference.insertedSections.map { index in
            let value = SectionValue(snapshot.index.sections[index].value)
            return SectionInsertion(index: index, value: value, title: snapshot.titles[value] ?? "")
        }
        insertions = difference.insertions.map { Insertion(path: $0.path, id: id($0.id)) }
        moves = difference.moves.map { Move(id: id($0.id), from: $0.from, to: $0.to, properties: properties($0.id)) }
        let moved = Set(difference.moves.lazy.map(\.id))
        updates = difference.updates.compactMap { update in
            guard !moved.contains(update.id) else { return nil }
            let names = properties(update.id)
            return names?.isEmpty == true ? nil : Update(path: update.path, id: id(update.id), properties: names)
        }
    }

    /// Creates the changes between any two snapshots of a list.
    ///
    /// - Parameters:
    ///   - old: The old snapshot.
    ///   - new: The new snapshot.
    ///   - updated: The rows that may have changed, with the names of their changed properties, or `nil` if these are not known.
    init(from old: ResultsSnapshot, to new: ResultsSnapshot, updated: [Int64: Set<String>?]) {
        let difference = new.index.difference(from: old.index, keepsSections: old.sectionPath == new.sectionPath) {
            row in
            updated[row] != nil
        }
        self.init(difference, in: new) { row in
            if let properties = updated[row] { properties } else { [] }
        }
    }
}
#endif
