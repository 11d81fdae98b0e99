#if Objects
extension ResultsController {
    /// Returns the object at a path of ``snapshot``.
    ///
    /// If the object is not in memory, it is fetched together with up to 49 objects next to it, so that reading one row after another needs
    /// few queries.
    ///
    /// - Parameter path: A path in the current snapshot.
    /// - Returns: The object.
    /// - Throws: ``ObjectError`` with code `deletedObject` if a save that is not merged yet has deleted the object, or another code if the
    ///   database can't be read.
    public func object(at path: ResultsPath) throws -> T {
        let snapshot = snapshot
        let id = snapshot[path]
        if request.prefetch.isEmpty || recent.contains(id.rowID), let object = try context.held(T.self, id.rowID) {
            return object
        }
        let position = snapshot.position(of: path)
        return try objects(at: position..<position + 1, of: snapshot.ids)[0]
    }

    /// Returns the objects of a section, which are fetched with one query.
    ///
    /// If the section is small, the same query fetches objects of the sections next to it.
    ///
    /// - Parameter section: The index of the section in ``snapshot``.
    /// - Returns: The objects in the order of the section.
    /// - Throws: ``ObjectError`` with code `deletedObject` if a save that is not merged yet has deleted one of the objects, or another code
    ///   if the database can't be read.
    public func objects(in section: Int) throws -> [T] {
        let snapshot = snapshot
        let start = snapshot.position(of: ResultsPath(section: section, item: 0))
        return try objects(at: start..<start + snapshot.sections[section].ids.count, of: snapshot.ids)
    }

    /// Returns the objects at positions of the whole list, which are read in pages.
    private func objects(at positions: Range<Int>, of ids: ResultsIDs) throws -> [T] {
        let page = RecentObjects<T>.page
        let end = min(ids.count, (positions.upperBound + page - 1) / page * page)
        let read: [T]
        do {
            read = try load(ids[positions.lowerBound / page * page..<end])
        } catch let error as ObjectError where error.code == .damaged {
            // The damage may be in an object that the caller has not asked for.
            read = try load(ids[positions])
        }
        recent.keep(read)
        let found = Dictionary(read.map { ($0.objectID.rowID, $0) }, uniquingKeysWith: { first, _ in first })
        return try ids[positions].map { id in
            guard let object = found[id.rowID] else { throw deleted(id) }
            return object
        }
    }

    private func load(_ ids: Slice<ResultsIDs>) throws -> [T] {
        // Whatever a caller reads, each object of the list is read about once, so the query does not count as repeated.
        try context.withoutCounting { try context.load(T.self, ids.map(\.rowID), prefetching: request.prefetch) }
    }

    private func deleted(_ id: ObjectID) -> ObjectError {
        ObjectError(
            .deletedObject,
            "The list contains the object \(id), which another save has deleted. Use the list again after the next merge.",
            path: context.path
        )
    }
}

extension ObjectContext {
    /// Returns a saved object that is in memory, usually without a query.
    ///
    /// Only objects whose changed rows could not be read are read again.
    func held<T: Object>(_ type: T.Type, _ row: Int64) throws -> T? {
        let entity = try model.entity(of: type)
        let state = try exclusively {
            _ = try openSource()
            readUnread()
            return tables[entity.index][row].flatMap { $0.status == .stored ? $0 : nil }
        }
        return state.flatMap { instance(of: $0) as? T }
    }
}

extension ResultsSnapshot {
    /// Returns the position of a path in ``ids``.
    fileprivate func position(of path: ResultsPath) -> Int {
        index.sections[..<path.section].reduce(0) { $0 + $1.keys.count } + path.item
    }
}
#endif
