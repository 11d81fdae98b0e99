#if Objects
internal import Foundation

/// The writable storage that `performAndSave` passes to its closure.
final class WriterStorage: WritableStorageType {
    let context: ObjectContext

    init(_ context: ObjectContext) { self.context = context }

    func objects<T: Object>(_ request: ObjectRequest<T>) throws -> [T] { try context.fetch(request) }
    func countObjects<T: Object>(_ request: ObjectRequest<T>) throws -> Int { try context.count(request) }
    func loadObject<T: Object>(ofType type: T.Type, with objectID: ObjectID) throws -> T? {
        try context.load(type, objectID)
    }

    func insertNewObject<T: Object>(ofType type: T.Type) throws -> T { try context.insert(type) }

    func deleteObject<T: Object>(_ object: T) throws {
        _ = try context.openSource()
        guard object.objectState.context === context else {
            throw ObjectError(
                .foreignObject,
                "\(object.objectID) belongs to another storage. Load it by its id in this storage and delete the loaded object."
            )
        }
        try context.delete(object.objectState)
    }

    func deleteAllObjects<T: Object>(ofType type: T.Type) throws {
        try context.deleteAll(type)
    }

    func batchUpdate<T: Object>(
        ofType type: T.Type,
        matching filter: Filter<T>?,
        set assignments: [PropertyAssignment<T>]
    ) throws -> Int {
        try context.batchUpdate(filter, assignments)
    }

    func batchDelete<T: Object>(ofType type: T.Type, matching filter: Filter<T>?) throws -> Int {
        try context.batchDelete(type, filter)
    }

    var hasChanges: Bool { context.hasChanges }

    func saveIfNeeded() throws { try context.save() }
}
#endif
