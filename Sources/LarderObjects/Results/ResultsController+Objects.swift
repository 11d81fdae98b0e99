#if Objects
extension ResultsController {
    /// Returns the object at a path of ``snapshot``.
    ///
    /// - Parameter path: A path in the current snapshot.
    /// - Returns: The object.
    /// - Throws: ``ObjectError`` with code `deletedObject` if a save that is not merged yet has deleted the object, or another code if the
    ///   database can't be read.
    public func object(at path: ResultsPath) throws -> T {
        guard let object = try context.load(T.self, snapshot[path]) else { throw deleted(snapshot[path]) }
        return object
    }

    /// Returns the objects of a section, which are fetched with one query.
    ///
    /// - Parameter section: The index of the section in ``snapshot``.
    /// - Returns: The objects in the order of the section.
    /// - Throws: ``ObjectError`` with code `deletedObject` if a save that is not merged yet has deleted one of the objects, or another code
    ///   if the database can't be read.
    public func objects(in section: Int) throws -> [T] {
        let ids = snapshot.sections[section].ids
        let objects = try context.load(T.self, ids.map(\.rowID), prefetching: request.prefetch)
        guard objects.count == ids.count else {
            let found = Set(objects.map(\.objectID))
            throw deleted(ids.first { !found.contains($0) })
        }
        return objects
    }

    private func deleted(_ id: ObjectID?) -> ObjectError {
        ObjectError(
            .deletedObject,
            "The list contains the object \(id?.description ?? ""), which another save has deleted. Use the list again after the next merge.",
            path: context.path
        )
    }
}
#endif
