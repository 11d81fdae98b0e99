#if Objects
/// The objects that one save inserted, updated and deleted.
public struct ChangeSet: Sendable, Hashable {
    /// The writer of a save.
    public enum Origin: Sendable, Hashable {
        /// The manager that sends the change set.
        case thisManager
        /// Another manager, in this process or in another one.
        case otherManager
        /// A program that does not use Larder.
        case otherProgram
    }

    /// The writer of the save.
    public let origin: Origin
    /// The name under which the save was recorded, if any.
    public let author: String?
    /// The position of the save in the history of the file.
    public let token: HistoryToken
    /// The ids of the inserted objects in insertion order.
    public internal(set) var inserted: [ObjectID] = []
    /// The ids of the updated objects, each with the names of its changed properties.
    ///
    /// A relationship whose reference is stored in the row of the related object is not included.
    public internal(set) var updated: [ObjectID: Set<String>] = [:]
    /// The ids of the deleted objects.
    public internal(set) var deleted: [ObjectID] = []
    /// Whether any object may have changed, for example after a reset, or if saves of another process were missed.
    public internal(set) var isComplete = false
    /// The names of the many-to-many relationships whose links changed, such as `Post.tags`.
    ///
    /// Each relationship is listed under the name of the side that declares the inverse.
    var joined: Set<String> = []

    /// Whether the save changed nothing.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && joined.isEmpty && !isComplete }
}
#endif
