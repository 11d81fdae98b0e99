#if Objects
public import Foundation

/// Objects to read: what the view is, and what the writer is too.
///
/// Adopt it for a storage of your own, such as one for tests; the calls beside these three come with it.
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
}

extension StorageType {
    /// The objects of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - filter: Which of them; all without one.
    ///   - sortedBy: Their order; without any, the one they were inserted in.
    ///   - limit: How many at most.
    ///   - offset: How many of the first to leave out.
    ///   - prefetch: Relationships to read for all objects at once.
    /// - Returns: The objects.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func allObjects<T: Object>(
        ofType type: T.Type,
        matching filter: Filter<T>? = nil,
        sortedBy: [SortDescriptor<T>] = [],
        limit: Int? = nil,
        offset: Int = 0,
        prefetch: [PartialKeyPath<T>] = []
    ) throws -> [T] {
        try objects(ObjectRequest(filter, sortedBy: sortedBy, limit: limit, offset: offset, prefetch: prefetch))
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
    /// - Returns: The objects.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func allObjects<T: Object>(
        ofType type: T.Type,
        matching predicate: Predicate<T>,
        sortedBy: [SortDescriptor<T>] = [],
        limit: Int? = nil,
        offset: Int = 0,
        prefetch: [PartialKeyPath<T>] = []
    ) throws -> [T] {
        try objects(
            ObjectRequest(Filter(predicate), sortedBy: sortedBy, limit: limit, offset: offset, prefetch: prefetch)
        )
    }

    /// The first object of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - filter: Which of them; all without one.
    ///   - sortedBy: Their order; without any, the one they were inserted in.
    /// - Returns: The object, or `nil` when there is none.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func firstObject<T: Object>(
        ofType type: T.Type,
        matching filter: Filter<T>? = nil,
        sortedBy: [SortDescriptor<T>] = []
    ) throws -> T? {
        try objects(ObjectRequest(filter, sortedBy: sortedBy, limit: 1)).first
    }

    /// The first object of a class for which a predicate is true.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - predicate: Which of them.
    ///   - sortedBy: Their order; without any, the one they were inserted in.
    /// - Returns: The object, or `nil` when there is none.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func firstObject<T: Object>(
        ofType type: T.Type,
        matching predicate: Predicate<T>,
        sortedBy: [SortDescriptor<T>] = []
    ) throws -> T? {
        try objects(ObjectRequest(Filter(predicate), sortedBy: sortedBy, limit: 1)).first
    }

    /// How many objects of a class there are.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - filter: Which of them; all without one.
    /// - Returns: How many.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func countObjects<T: Object>(ofType type: T.Type, matching filter: Filter<T>? = nil) throws -> Int {
        try countObjects(ObjectRequest(filter))
    }

    /// How many objects of a class there are for which a predicate is true.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - predicate: Which of them.
    /// - Returns: How many.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func countObjects<T: Object>(ofType type: T.Type, matching predicate: Predicate<T>) throws -> Int {
        try countObjects(ObjectRequest(Filter(predicate)))
    }
}

/// Objects to read, insert, change and delete: what `performAndSave` hands to its closure, and nobody else has.
public protocol WritableStorageType: StorageType {
    /// A new object with the defaults of its class. It has its final id, and is found by fetches, before it is saved.
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
    /// - Parameter type: The class.
    /// - Throws: ``ObjectError`` when the database can't be read.
    func deleteAllObjects<T: Object>(ofType type: T.Type) throws

    /// Whether there are changes that are not saved.
    var hasChanges: Bool { get }

    /// Writes what has changed, if anything has, so that later steps of the same work may rely on it.
    ///
    /// The work is one transaction all the same: when it throws later, this too is undone.
    ///
    /// - Throws: ``ObjectError`` of code `invalidObjects` that lists every problem, or what the database refused. Nothing was
    ///   written then, and the changes are still there.
    func saveIfNeeded() throws
}
#endif
