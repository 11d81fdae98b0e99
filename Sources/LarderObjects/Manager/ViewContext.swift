#if Objects
internal import Dispatch
internal import LarderCore

/// What is saved, for reading.
///
/// A write through it does not compile. Its objects are shared by everybody who reads it, and setting a property of one
/// changes nothing and is reported.
public final class ViewContext: StorageType {
    let context: ObjectContext
    private let queue: DispatchQueue

    /// - Parameters:
    ///   - context: Its objects.
    ///   - queue: Where it merges.
    init(_ context: ObjectContext, queue: DispatchQueue) {
        self.context = context
        self.queue = queue
    }

    /// The objects of a request.
    ///
    /// - Parameter request: Which objects, in what order.
    /// - Returns: The objects.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func objects<T: Object>(_ request: ObjectRequest<T>) throws -> [T] { try context.fetch(request) }

    /// How many objects a request has, without reading them.
    ///
    /// - Parameter request: Which objects.
    /// - Returns: How many.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func countObjects<T: Object>(_ request: ObjectRequest<T>) throws -> Int { try context.count(request) }

    /// The object with an id.
    ///
    /// - Parameters:
    ///   - type: Its class.
    ///   - objectID: Its id.
    /// - Returns: The object, or `nil` when there is none.
    /// - Throws: ``ObjectError`` when the database can't be read.
    public func loadObject<T: Object>(ofType type: T.Type, with objectID: ObjectID) throws -> T? {
        try context.load(type, objectID)
    }

    /// Runs a closure later, on the queue where the view merges, so that nothing changes meanwhile.
    ///
    /// - Parameter closure: What to run.
    public func perform(_ closure: @escaping @Sendable () -> Void) {
        let handler = InheritedIssueHandler()
        queue.async { handler.during(closure) }
    }
}
#endif
