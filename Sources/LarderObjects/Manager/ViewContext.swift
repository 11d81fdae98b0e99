#if Objects
internal import Foundation

/// What is saved, for reading.
///
/// A write through it does not compile. Its objects are shared by everybody who reads it, and setting a property of one
/// changes nothing and is reported.
public final class ViewContext: StorageType {
    let context: ObjectContext

    init(_ context: ObjectContext) { self.context = context }

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
}
#endif
