#if Objects
/// A change of a list's sections.
public enum SectionEvent: Sendable, Hashable {
    /// The section with this index in the old snapshot was deleted.
    case delete(Int)
    /// A section with this index and title in the new snapshot was inserted.
    case insert(Int, title: String)
}

/// A change of an object in a list.
public enum ObjectEvent: Sendable, Hashable {
    /// The object at this path in the old snapshot was deleted, or no longer meets the filter.
    case delete(ResultsPath)
    /// The object at this path in the new snapshot was inserted, or now meets the filter.
    case insert(ResultsPath)
    /// The object moved from a path in the old snapshot to a path in the new one.
    ///
    /// The names of the changed properties are `nil` if they are not known. No ``update(_:properties:)`` follows.
    case move(from: ResultsPath, to: ResultsPath, properties: Set<String>?)
    /// The object at this path in the new snapshot has changed.
    ///
    /// The names of the changed properties are `nil` if they are not known.
    case update(ResultsPath, properties: Set<String>?)
}

/// An object that is notified of the changes of a ``ResultsController``.
///
/// All methods are called on the view's queue, and have empty default implementations. For each merge that changes the list, the calls are:
/// 1. ``resultsWillChange(_:)``
/// 2. ``resultsDidChangeSection(_:)``: deleted sections from the last to the first, then inserted sections from the first to the last
/// 3. ``resultsDidChangeObject(_:_:)``: deleted objects from the last to the first, inserted objects from the first to the last, moved
///    objects, then other changed objects
/// 4. ``resultsDidChange(_:_:)``
///
/// The controller's snapshot is already new at the first call. If a method replaces the controller's request, the calls for the difference
/// follow after the current calls.
public protocol ResultsControllerDelegate: AnyObject {
    /// The list has changed, and the calls for its sections and objects follow.
    ///
    /// - Parameter changes: All changes.
    func resultsWillChange(_ changes: ResultsChanges)
    /// A section was deleted or inserted.
    ///
    /// - Parameter change: The change.
    func resultsDidChangeSection(_ change: SectionEvent)
    /// An object was deleted, inserted, moved or changed.
    ///
    /// - Parameters:
    ///   - id: The id of the object.
    ///   - change: The change.
    func resultsDidChangeObject(_ id: ObjectID, _ change: ObjectEvent)
    /// All calls for the list's sections and objects were made.
    ///
    /// - Parameters:
    ///   - snapshot: The new snapshot.
    ///   - changes: All changes.
    func resultsDidChange(_ snapshot: ResultsSnapshot, _ changes: ResultsChanges)
}

extension ResultsControllerDelegate {
    /// Does nothing.
    ///
    /// - Parameter changes: All changes.
    public func resultsWillChange(_ changes: ResultsChanges) {}
    /// Does nothing.
    ///
    /// - Parameter change: The change.
    public func resultsDidChangeSection(_ change: SectionEvent) {}
    /// Does nothing.
    ///
    /// - Parameters:
    ///   - id: The id of the object.
    ///   - change: The change.
    public func resultsDidChangeObject(_ id: ObjectID, _ change: ObjectEvent) {}
    /// Does nothing.
    ///
    /// - Parameters:
    ///   - snapshot: The new snapshot.
    ///   - changes: All changes.
    public func resultsDidChange(_ snapshot: ResultsSnapshot, _ changes: ResultsChanges) {}
}
#endif
