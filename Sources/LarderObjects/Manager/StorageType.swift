#if Objects
public import Foundation

/// Objects to read: what the view is, and what the writer is too.
///
/// Adopt it for a storage of your own, such as one for tests; the calls beside the first three come with it.
public protocol StorageType: AnyObject {
    /// The objects of a request, with everything that is not saved here.
    ///
    /// - Parameter request: Which objects, in what order.
    /// - Returns: The objects.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    func objects<T: Object>(_ request: ObjectRequest<T>) throws -> [T]

    /// How many objects a request has, without reading them.
    ///
    /// - Parameter request: Which objects.
    /// - Returns: How many.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    func countObjects<T: Object>(_ request: ObjectRequest<T>) throws -> Int

    /// The object with an id, saved or not.
    ///
    /// - Parameters:
    ///   - type: Its class.
    ///   - objectID: Its id.
    /// - Returns: The object, or `nil` when there is none, or it was deleted.
    /// - Throws: ``ObjectError`` when the database can't be read.
    func loadObject<T: Object>(ofType type: T.Type, with objectID: ObjectID) throws -> T?

    /// Runs a closure where the storage is at home: that of the view later, where it merges, so that nothing changes meanwhile;
    /// that of the writer at once, since its work runs there already.
    ///
    /// - Parameter closure: What to run.
    func perform(_ closure: @escaping @Sendable () -> Void)
}

extension StorageType {
    /// Runs a closure at once.
    ///
    /// - Parameter closure: What to run.
    public func perform(_ closure: @escaping @Sendable () -> Void) { closure() }

    /// The objects of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - filter: Which of them; all without one.
    ///   - sortedBy: Their order; without any, the one they were inserted in.
    ///   - limit: How many at most.
    ///   - offset: How many of the first to leave out.
    ///   - prefetch: Relationships to read for all objects at once.
    ///   - file: The file of the call, which the warning about repeated queries names.
    ///   - line: The line of the call.
    /// - Returns: The objects.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
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

    /// The objects of a class for which a predicate is true.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - predicate: Which of them.
    ///   - sortedBy: Their order; without any, the one they were inserted in.
    ///   - limit: How many at most.
    ///   - offset: How many of the first to leave out.
    ///   - prefetch: Relationships to read for all objects at once.
    ///   - file: The file of the call, which the warning about repeated queries names.
    ///   - line: The line of the call.
    /// - Returns: The objects.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
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

    /// The first object of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - filter: Which of them; all without one.
    ///   - sortedBy: Their order; without any, the one they were inserted in.
    ///   - file: The file of the call, which the warning about repeated queries names.
    ///   - line: The line of the call.
    /// - Returns: The object, or `nil` when there is none.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func firstObject<T: Object>(
        ofType type: T.Type,
        matching filter: Filter<T>? = nil,
        sortedBy: [SortDescriptor<T>] = [],
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T? {
        try objects(ObjectRequest(filter, sortedBy: sortedBy, limit: 1, file: file, line: line)).first
    }

    /// The first object of a class for which a predicate is true.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - predicate: Which of them.
    ///   - sortedBy: Their order; without any, the one they were inserted in.
    ///   - file: The file of the call, which the warning about repeated queries names.
    ///   - line: The line of the call.
    /// - Returns: The object, or `nil` when there is none.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func firstObject<T: Object>(
        ofType type: T.Type,
        matching predicate: Predicate<T>,
        sortedBy: [SortDescriptor<T>] = [],
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T? {
        try objects(ObjectRequest(Filter(predicate), sortedBy: sortedBy, limit: 1, file: file, line: line)).first
    }

    /// How many objects of a class there are.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - filter: Which of them; all without one.
    ///   - file: The file of the call, which the warning about repeated queries names.
    ///   - line: The line of the call.
    /// - Returns: How many.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func countObjects<T: Object>(
        ofType type: T.Type,
        matching filter: Filter<T>? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws -> Int {
        try countObjects(ObjectRequest(filter, file: file, line: line))
    }

    /// How many objects of a class there are for which a predicate is true.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - predicate: Which of them.
    ///   - file: The file of the call, which the warning about repeated queries names.
    ///   - line: The line of the call.
    /// - Returns: How many.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func countObjects<T: Object>(
        ofType type: T.Type,
        matching predicate: Predicate<T>,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws -> Int {
        try countObjects(ObjectRequest(Filter(predicate), file: file, line: line))
    }
}

/// Objects to read, insert, change and delete: what `performAndSave` hands to its closure, and nobody else has.
public protocol WritableStorageType: StorageType {
    /// Inserts an object with the defaults of its class. It has its final id, and is found by fetches, before it is saved.
    ///
    /// After each 100,000 insertions, unsaved changes are written inside the transaction if all of them can be, as by
    /// ``saveIfNeeded()``.
    ///
    /// - Parameter type: Its class.
    /// - Returns: The object.
    /// - Throws: ``ObjectError`` of code `expired` when the storage was kept beyond its closure.
    func insertNewObject<T: Object>(ofType type: T.Type) throws -> T

    /// Deletes an object, and what its relationships say goes with it. Fetches don't find it any more.
    ///
    /// - Parameter object: An object of this storage. One that is deleted already is passed over.
    /// - Throws: ``ObjectError`` of code `foreignObject` for one of another storage, or why related objects can't be read.
    func deleteObject<T: Object>(_ object: T) throws

    /// Deletes all objects of a class, and what their relationships say goes with them.
    ///
    /// More than 10,000 objects are deleted in the database at once, after unsaved changes are saved, so that they need not be
    /// read. Where unsaved changes can't be saved yet, or a delete rule denies it, they are deleted one by one, and the save
    /// decides.
    ///
    /// - Parameter type: The class.
    /// - Throws: ``ObjectError`` when the database can't be read or written.
    func deleteAllObjects<T: Object>(ofType type: T.Type) throws

    /// Sets properties of objects in the database, without making objects of them.
    ///
    /// What is not saved is saved first. Objects of this storage and of the view get the new values; rows that have them
    /// already are not written.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - filter: Which objects; all without one.
    ///   - assignments: The attributes and their values.
    /// - Returns: How many objects have other values now.
    /// - Throws: ``ObjectError`` when what is not saved can't be, the filter can't be turned into SQL, or the values are
    ///   refused. Nothing was changed by the call then.
    @discardableResult
    func batchUpdate<T: Object>(
        ofType type: T.Type,
        matching filter: Filter<T>?,
        set assignments: [PropertyAssignment<T>]
    ) throws -> Int

    /// Deletes objects in the database, and what their relationships say goes with them, without making objects of them.
    ///
    /// What is not saved is saved first. Delete rules hold as they do for ``deleteObject(_:)``.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - filter: Which objects; all without one.
    /// - Returns: How many objects of the class are gone.
    /// - Throws: ``ObjectError`` when what is not saved can't be, the filter can't be turned into SQL, or a relationship
    ///   denies it. Nothing was changed by the call then.
    @discardableResult
    func batchDelete<T: Object>(ofType type: T.Type, matching filter: Filter<T>?) throws -> Int

    /// Whether there are changes since the last ``saveIfNeeded()``.
    ///
    /// A large import, an upsert of many values and a deletion of many objects are written in parts, so that they need little memory;
    /// what was written that way is a change until it is saved. ``batchUpdate(ofType:matching:set:)`` and
    /// ``batchDelete(ofType:matching:)`` save what was changed before them.
    var hasChanges: Bool { get }

    /// Writes what has changed, if anything has, so that later steps of the same work may rely on it.
    ///
    /// Objects that the closure does not hold are released then, and read again when they are asked for.
    ///
    /// The work is one transaction all the same: when it throws later, this too is undone.
    ///
    /// - Throws: ``ObjectError`` of code `invalidObjects` that lists every problem, or what the database refused. Nothing was
    ///   written then, and the changes are still there.
    func saveIfNeeded() throws
}
#endif
