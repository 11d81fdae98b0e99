#if Objects
public import Foundation

/// A save, or consecutive changes of another program, in the history of a database file.
public struct HistoryEntry: Sendable, Hashable {
    /// What an entry describes.
    public enum Scope: Sendable, Hashable {
        /// Only the objects in ``HistoryEntry/changes`` changed.
        case objects
        /// All objects were deleted.
        case reset
        /// The file was migrated from one version of the model to another.
        case migration(from: Int, to: Int)
        /// Any object may have changed.
        case anything
    }

    /// The position after this entry.
    public let token: HistoryToken
    /// The time of the save.
    public let time: Date
    /// The name under which the save was recorded, or `nil` if another program made the changes.
    public let author: String?
    /// Whether a program other than Larder made the changes.
    ///
    /// The names of its changed attributes are not known.
    public let isForeign: Bool
    /// What the save changed as a whole.
    public let scope: Scope
    /// The changed objects, each of which occurs once.
    public let changes: [ObjectChange]
}

/// The change of one object in a ``HistoryEntry``.
public struct ObjectChange: Sendable, Hashable {
    /// The kind of a change.
    public enum Kind: String, Sendable, Hashable { case inserted, updated, deleted }

    /// Whether the object was inserted, updated or deleted.
    public let kind: Kind
    /// The id of the object.
    public let objectID: ObjectID
    /// The names of the changed attributes and relationships of an update, or `nil` if the names are not known.
    ///
    /// A relationship whose reference is stored in the related object is not included. The set of an inserted or deleted object is `nil`.
    public let properties: Set<String>?
}
#endif
