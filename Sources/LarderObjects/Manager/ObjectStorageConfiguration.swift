#if Objects
public import Foundation

/// What to do with a file that can't be used: it was made for a model that differs in more than what can be added, it is damaged, or it
/// is not a SQLite database.
public enum ModelMismatchPolicy: Sendable, Hashable {
    /// Throw, and leave the file as it is.
    case refuse
    /// Move the file aside, as `NAME.quarantined-1` and so on, report it to ``SQLiteStorageManager/issues``, and start with an empty one.
    ///
    /// Damage is what opening finds: in the header, the schema or Larder's own tables. Damage in the rest of the file is found by the
    /// first read that meets it, and by ``SQLiteStorageManager/verify()``. A database of another application or of a newer version
    /// is refused all the same, and so is a file that another program has open.
    case quarantineAndRecreate
}

/// How a ``SQLiteStorageManager`` works.
public struct ObjectStorageConfiguration: Sendable {
    /// Where the view merges what was saved.
    ///
    /// A program without a running main queue needs another, serial one.
    public var viewQueue: DispatchQueue
    /// What to do with a file that can't be used.
    public var onMismatch: ModelMismatchPolicy

    /// A configuration.
    ///
    /// - Parameters:
    ///   - viewQueue: Where the view merges what was saved; a serial queue.
    ///   - onMismatch: What to do with a file that can't be used.
    public init(viewQueue: DispatchQueue = .main, onMismatch: ModelMismatchPolicy = .refuse) {
        self.viewQueue = viewQueue
        self.onMismatch = onMismatch
    }
}
#endif
