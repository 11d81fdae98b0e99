#if Objects
public import Foundation

/// What to do with a file that was made for a model which differs in more than what can be added.
public enum ModelMismatchPolicy: Sendable, Hashable {
    /// Throw, and leave the file as it is.
    case refuse
    /// Move the file aside, as `NAME.quarantined-1` and so on, and start with an empty one. For development.
    case quarantineAndRecreate
}

/// How a ``SQLiteStorageManager`` works.
public struct ObjectStorageConfiguration: Sendable {
    /// Where the view merges what was saved.
    ///
    /// A program without a running main queue needs another, serial one.
    public var viewQueue: DispatchQueue
    /// What to do with a file that was made for another model.
    public var onMismatch: ModelMismatchPolicy

    /// A configuration.
    ///
    /// - Parameters:
    ///   - viewQueue: Where the view merges what was saved; a serial queue.
    ///   - onMismatch: What to do with a file that was made for another model.
    public init(viewQueue: DispatchQueue = .main, onMismatch: ModelMismatchPolicy = .refuse) {
        self.viewQueue = viewQueue
        self.onMismatch = onMismatch
    }
}
#endif
