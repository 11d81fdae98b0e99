#if Objects
public import Foundation
public import LarderCore
internal import LarderFiles

extension SQLiteStorageManager {
    /// Copies all readable objects of a corrupt database into a new database.
    ///
    /// SQLite stops at the first page that it can't read. This method reads each page independently:
    ///
    /// - An object is kept if its page and all pages on the path from the root of its table are intact.
    /// - An object on an intact page without an intact path may be older than the last commit, and is therefore in doubt: the new database
    ///   does not contain the object, but lists its values as JSON in the table `larder_in_doubt`.
    /// - An object that other pages contradict is also in doubt, for example because its indexes do not contain it, or because an overflow
    ///   page of a long value is also used elsewhere. This occurs if a page was replaced by an older version of itself or by another page;
    ///   see ``SalvageReport/hasReplacedPages``.
    /// - A reference to a missing object is removed. If the delete rule is `cascade`, or if the reference is required, the object that has
    ///   the reference is in doubt.
    /// - If several objects have the same unique value, the newest object is kept, and the other objects are in doubt.
    ///
    /// The corrupt file is not changed. First close every manager that has the file open, and make sure that no other program writes to it.
    /// SQLite's files have no checksums, so a value that was overwritten with another valid value is detected only if an index contains it.
    ///
    /// - Parameters:
    ///   - url: The URL of the corrupt database.
    ///   - copy: The URL of the new database. No file may exist there. A missing folder is created.
    ///   - model: The model to use if the model description in the database is lost.
    ///   - progress: A closure that receives the number of pages read.
    /// - Returns: The number of kept, lost and doubtful objects of each entity.
    /// - Throws: ``ObjectError`` with code `busy` if a connection has the database open; `notADatabase` if no page can be read; `damaged`
    ///   if the model description is lost and `model` is `nil`; `foreignDatabase`, `storeIsNewer`, `inaccessible` or `diskFull`. If the
    ///   call throws, it leaves no file at `copy`.
    /// - Complexity: Reads the entire file three times. Memory use is proportional to the number of pages and to the number of entries in
    ///   the indexes of one entity.
    @discardableResult
    public static func salvage(
        from url: URL,
        to copy: URL,
        model: ObjectModel? = nil,
        progress: ((StoreProgress) -> Void)? = nil
    ) throws -> SalvageReport {
        try salvage(from: url.path, to: copy.path, model: model?.resolved().frozen(), progress: progress)
    }

    /// A variant of ``salvage(from:to:model:progress:)`` that takes a frozen model.
    package static func salvage(
        from path: String,
        to target: String,
        model frozen: FrozenModel?,
        progress: ((StoreProgress) -> Void)?
    ) throws -> SalvageReport {
        let files: any FileSystem = LocalFileSystem()
        do {
            try SQLiteVersion.current.check()
            guard let information = try files.information(at: path, followingLinks: true), information.kind == .file
            else {
                throw ObjectError(
                    .inaccessible,
                    "The database file does not exist or is not a regular file. Check the path.",
                    path: path
                )
            }
            try files.createDirectory(at: FilePath.folder(of: target))
            guard try files.information(at: target, followingLinks: false) == nil else {
                throw ObjectError(
                    .inaccessible,
                    "The database was not salvaged because a file exists at the path of the copy. Choose another path, or remove that file.",
                    path: target
                )
            }
            let place = try files.resolvingLinks(in: path)
            let isOpenHere = { OpenDatabases.shared.contains(information) }
            guard !isOpenHere() else { throw DatabaseOpening.openHere(path) }
            let timeout = ObjectStorageConfiguration().openingTimeout
            return try OpeningLock(place: place, path: path, timeout: timeout, files: files, isOpenHere: isOpenHere)
                .exclusively {
                    guard !DatabaseUse.isInUse(path) else { throw Self.inUse(path) }
                    let unfinished = target + "-unfinished"
                    let report = try SalvageFiles(at: place).salvage(to: unfinished, model: frozen, progress: progress)
                    try files.rename(unfinished, to: target)
                    try files.synchronizeDirectory(at: FilePath.folder(of: target))
                    return report
                }
        } catch let error as FileError {
            throw DatabaseOpening.error(error, path)
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }

    private static func inUse(_ path: String) -> ObjectError {
        ObjectError(
            .busy,
            "The database can't be salvaged because another program has it open. Close it in that program and try again.",
            path: path
        )
    }
}
#endif
