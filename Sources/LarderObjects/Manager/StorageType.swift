#if Objects
public import Foundation

/// A storage from which objects are read.
///
/// A manager has two storages: its `viewStorage`, and the writable storage that it passes to the closure of `performAndSave`.
///
/// Adopt the protocol to implement your own storage, such as a fake for tests. Only ``objects(_:)``, ``countObjects(_:)`` and
/// ``loadObject(ofType:with:)`` have no default implementation.
public protocol StorageType: AnyObject {
    /// Fetches the objects that match a request, including this storage's unsaved changes.
    ///
    /// - Parameter request: The filter, the sort order and the limits.
    /// - Returns: The matching objects.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read.
    func objects<T: Object>(_ request: ObjectRequest<T>) throws -> [T]

    /// Counts the objects that match a request without fetching them.
    ///
    /// - Parameter request: The filter and the limits.
    /// - Returns: The number of matching objects.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read.
    func countObjects<T: Object>(_ request: ObjectRequest<T>) throws -> Int

    /// Returns the object with the given id, including an unsaved object.
    ///
    /// - Parameters:
    ///   - type: The class of the object.
    ///   - objectID: The id of the object.
    /// - Returns: The object, or `nil` if it does not exist or is deleted.
    /// - Throws: ``ObjectError`` if the database can't be read.
    func loadObject<T: Object>(ofType type: T.Type, with objectID: ObjectID) throws -> T?

    /// Runs a closure while no other code changes the storage's objects.
    ///
    /// A manager's `viewStorage` runs the closure asynchronously on the queue that merges commits. A writable storage runs the closure
    /// immediately.
    ///
    /// - Parameter closure: The closure to run.
    func perform(_ closure: @escaping @Sendable () -> Void)
}

extension StorageType {
    /// Runs a closure immediately.
    ///
    /// This is the default implementation for custom storages.
    ///
    /// - Parameter closure: The closure to run.
    public func perform(_ closure: @escaping @Sendable () -> Void) { closure() }

    /// Fetches objects of a class.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - filter: The condition that objects must meet, or `nil` to match all objects.
    ///   - sortedBy: The sort order. By default the objects are in insertion order.
    ///   - limit: The maximum number of objects to return.
    ///   - offset: The number of matching objects to skip.
    ///   - prefetch: The relationships to fetch together with the objects.
    ///   - file: The source file of the call, for the warning about repeated queries.
    ///   - line: The source line of the call.
    /// - Returns: The matching objects in the requested order.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read.
    public func allObjects<T: Object>(
        ofType type: T.Type,
        matching filter: Filter<T>? = nil,
        sortedBy: [SortDescriptor<T>] = [],
        limit: Int? = nil,
        offset: Int = 0,
        prefetch: [PartialKeyPath<T>] = [],
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws -> [T] {
        try objects(
            ObjectRequest(
                filter,
                sortedBy: sortedBy,
                limit: limit,
                offset: offset,
                prefetch: prefetch,
                file: file,
                line: line
            )
        )
    }

    /// Fetches objects of a class that match a predicate.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - predicate: The condition that objects must meet.
    ///   - sortedBy: The sort order. By default the objects are in insertion order.
    ///   - limit: The maximum number of objects to return.
    ///   - offset: The number of matching objects to skip.
    ///   - prefetch: The relationships to fetch together with the objects.
    ///   - file: The source file of the call, for the warning about repeated queries.
    ///   - line: The source line of the call.
    /// - Returns: The matching objects in the requested order.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read.
    public func allObjects<T: Object>(
        ofType type: T.Type,
        matching predicate: Predicate<T>,
        sortedBy: [SortDescriptor<T>] = [],
        limit: Int? = nil,
        offset: Int = 0,
        prefetch: [PartialKeyPath<T>] = [],
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws -> [T] {
        try objects(
            ObjectRequest(
                Filter(predicate),
                sortedBy: sortedBy,
                limit: limit,
                offset: offset,
                prefetch: prefetch,
                file: file,
                line: line
            )
        )
    }

    /// Fetches the first object of a class that matches a filter.
    ///
    /// - Parameters:
    ///   - type: The class of the object.
    ///   - filter: The condition that the object must meet, or `nil` to match all objects.
    ///   - sortedBy: The sort order. By default the objects are in insertion order.
    ///   - file: The source file of the call, for the warning about repeated queries.
    ///   - line: The source line of the call.
    /// - Returns: The first matching object, or `nil` if no object matches.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read.
    public func firstObject<T: Object>(
        ofType type: T.Type,
        matching filter: Filter<T>? = nil,
        sortedBy: [SortDescriptor<T>] = [],
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T? {
        try objects(ObjectRequest(filter, sortedBy: sortedBy, limit: 1, file: file, line: line)).first
    }

    /// Fetches the first object of a class that matches a predicate.
    ///
    /// - Parameters:
    ///   - type: The class of the object.
    ///   - predicate: The condition that the object must meet.
    ///   - sortedBy: The sort order. By default the objects are in insertion order.
    ///   - file: The source file of the call, for the warning about repeated queries.
    ///   - line: The source line of the call.
    /// - Returns: The first matching object, or `nil` if no object matches.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read.
    public func firstObject<T: Object>(
        ofType type: T.Type,
        matching predicate: Predicate<T>,
        sortedBy: [SortDescriptor<T>] = [],
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T? {
        try objects(ObjectRequest(Filter(predicate), sortedBy: sortedBy, limit: 1, file: file, line: line)).first
    }

    /// Counts the objects of a class that match a filter.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - filter: The condition that objects must meet, or `nil` to count all objects.
    ///   - file: The source file of the call, for the warning about repeated queries.
    ///   - line: The source line of the call.
    /// - Returns: The number of matching objects.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read.
    public func countObjects<T: Object>(
        ofType type: T.Type,
        matching filter: Filter<T>? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws -> Int {
        try countObjects(ObjectRequest(filter, file: file, line: line))
    }

    /// Counts the objects of a class that match a predicate.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - predicate: The condition that objects must meet.
    ///   - file: The source file of the call, for the warning about repeated queries.
    ///   - line: The source line of the call.
    /// - Returns: The number of matching objects.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read.
    public func countObjects<T: Object>(
        ofType type: T.Type,
        matching predicate: Predicate<T>,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws -> Int {
        try countObjects(ObjectRequest(Filter(predicate), file: file, line: line))
    }
}

/// A storage in which objects can be read, inserted, changed and deleted.
///
/// `performAndSave` passes a writable storage to its closure.
public protocol WritableStorageType: StorageType {
    /// Inserts a new object with the default values of its class.
    ///
    /// The object has its final id, and fetches include the object before it is saved. After every 100,000 insertions, unsaved changes are
    /// saved automatically if all changes are valid.
    ///
    /// - Parameter type: The class of the object.
    /// - Returns: The new object.
    /// - Throws: ``ObjectError`` with code `expired` if the storage is used after its closure has returned.
    func insertNewObject<T: Object>(ofType type: T.Type) throws -> T

    /// Deletes an object and, according to the delete rules, related objects.
    ///
    /// Fetches no longer return the deleted objects.
    ///
    /// - Parameter object: An object in this storage. If it is already deleted, the call has no effect.
    /// - Throws: ``ObjectError`` with code `foreignObject` if the object belongs to another storage, or any error that occurs while reading
    ///   related objects.
    func deleteObject<T: Object>(_ object: T) throws

    /// Deletes all objects of a class and, according to the delete rules, related objects.
    ///
    /// If there are more than 10,000 objects, unsaved changes are saved first, and the objects are deleted in the database without being
    /// read. If the changes can't be saved yet, or if a delete rule denies the deletion, the objects are deleted one by one, and the save
    /// throws an error.
    ///
    /// - Parameter type: The class of the objects.
    /// - Throws: ``ObjectError`` if the database can't be read or written.
    func deleteAllObjects<T: Object>(ofType type: T.Type) throws

    /// Sets attributes of all matching objects in the database without fetching the objects.
    ///
    /// Unsaved changes are saved first. Objects in this storage and in `viewStorage` receive the new values. Rows that already have the new
    /// values are not written.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - filter: The condition that objects must meet, or `nil` to match all objects.
    ///   - assignments: The attributes and their new values.
    /// - Returns: The number of objects whose values changed.
    /// - Throws: ``ObjectError`` if unsaved changes can't be saved, the filter can't be translated into SQL, or a value is invalid. If the
    ///   call throws, nothing is updated.
    @discardableResult
    func batchUpdate<T: Object>(
        ofType type: T.Type,
        matching filter: Filter<T>?,
        set assignments: [PropertyAssignment<T>]
    ) throws -> Int

    /// Deletes all matching objects in the database without fetching the objects.
    ///
    /// Unsaved changes are saved first. Delete rules apply as in ``deleteObject(_:)``.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - filter: The condition that objects must meet, or `nil` to match all objects.
    /// - Returns: The number of deleted objects of the class.
    /// - Throws: ``ObjectError`` if unsaved changes can't be saved, the filter can't be translated into SQL, or a delete rule denies the
    ///   deletion. If the call throws, nothing is deleted.
    @discardableResult
    func batchDelete<T: Object>(ofType type: T.Type, matching filter: Filter<T>?) throws -> Int

    /// Whether the storage has changed since the last call to ``saveIfNeeded()``.
    ///
    /// Large imports, upserts and deletions may be written to the database before the next save, to limit memory use. This property
    /// nevertheless remains `true` until that save. ``batchUpdate(ofType:matching:set:)`` and ``batchDelete(ofType:matching:)`` save
    /// all pending changes first.
    var hasChanges: Bool { get }

    /// Writes all unsaved changes to the database, inside the transaction of `performAndSave`.
    ///
    /// Objects that the closure does not retain are released and fetched again on demand. If the operation throws an error later, these
    /// changes are rolled back as well.
    ///
    /// - Throws: ``ObjectError`` with code `invalidObjects` and a list of all problems if an object is invalid, or an error that the
    ///   database reports. If the call throws, nothing is written, and the objects keep their unsaved changes.
    func saveIfNeeded() throws
}
#endif
