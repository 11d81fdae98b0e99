#if Objects
internal import Dispatch
internal import LarderCore

/// The read-only view of all saved objects.
///
/// The view has no methods that write. All readers share the view's objects. Setting a property of one of these objects has no effect and
/// is reported as an issue.
public final class ViewContext: StorageType {
    let context: ObjectContext
    private let queue: DispatchQueue

    /// Creates the view of a storage manager.
    ///
    /// - Parameters:
    ///   - context: The context that holds the view's objects.
    ///   - queue: The queue on which the view merges commits.
    init(_ context: ObjectContext, queue: DispatchQueue) {
        self.context = context
        self.queue = queue
    }

    /// Fetches the saved objects that match a request.
    ///
    /// - Parameter request: The filter, the sort order and the limits.
    /// - Returns: The matching objects.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read.
    public func objects<T: Object>(_ request: ObjectRequest<T>) throws -> [T] { try context.fetch(request) }

    /// Counts the saved objects that match a request without fetching them.
    ///
    /// - Parameter request: The filter and the limits.
    /// - Returns: The number of matching objects.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read.
    public func countObjects<T: Object>(_ request: ObjectRequest<T>) throws -> Int { try context.count(request) }

    /// Returns the saved object with the given id.
    ///
    /// - Parameters:
    ///   - type: The class of the object.
    ///   - objectID: The id of the object.
    /// - Returns: The object, or `nil` if it does not exist.
    /// - Throws: ``ObjectError`` if the database can't be read.
    public func loadObject<T: Object>(ofType type: T.Type, with objectID: ObjectID) throws -> T? {
        try context.load(type, objectID)
    }

    /// Runs a closure asynchronously on ``ObjectStorageConfiguration/viewQueue``, where no merge can occur while the closure runs.
    ///
    /// - Parameter closure: The closure to run.
    public func perform(_ closure: @escaping @Sendable () -> Void) {
        let handler = InheritedIssueHandler()
        queue.async { handler.during(closure) }
    }
}
#endif
