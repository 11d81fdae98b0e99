#if Objects
/// A list in the form of UIKit's and AppKit's diffable data sources, with the values of sections and the ids of objects as identifiers.
///
/// To fill an `NSDiffableDataSourceSnapshot<SectionValue, ObjectID>`, append ``sectionIdentifiers``, append the items of each section, and
/// pass ``reconfiguredItems`` to `reconfigureItems`.
public struct DiffableSnapshot: Sendable, Hashable {
    /// The snapshot of the list.
    public let snapshot: ResultsSnapshot
    /// The objects of the list whose properties the last change changed, in the order of the list.
    public let reconfiguredItems: [ObjectID]

    /// Creates the snapshot of an element of ``ResultsController/updates``.
    ///
    /// Its ``reconfiguredItems`` are all objects whose properties have changed since the element that the iterator returned before.
    ///
    /// - Parameter update: The element.
    public init(_ update: ResultsUpdate) { self.init(update.snapshot, update.changes) }

    init(_ snapshot: ResultsSnapshot, _ changes: ResultsChanges?) {
        self.snapshot = snapshot
        let moves = (changes?.moves ?? []).filter { $0.properties?.isEmpty != true }.map { ($0.to, $0.id) }
        let updates = (changes?.updates ?? []).map { ($0.path, $0.id) }
        reconfiguredItems = (moves + updates).sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// The values of the sections in order.
    public var sectionIdentifiers: [SectionValue] { snapshot.sections.map(\.value) }

    /// The ids of all objects in order.
    public var itemIdentifiers: [ObjectID] { Array(snapshot.ids) }

    /// Returns the ids of a section's objects.
    ///
    /// - Parameter section: The value of the section.
    /// - Returns: The ids in order, or an empty array if there is no such section.
    public func itemIdentifiers(inSection section: SectionValue) -> [ObjectID] {
        snapshot.sections.first { $0.value == section }.map { Array($0.ids) } ?? []
    }
}
#endif
