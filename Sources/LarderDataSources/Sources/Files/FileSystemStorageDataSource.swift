public import Foundation
public import LarderCore
package import LarderFiles
import Synchronization

/// A data source that stores each value as `Data` in its own file.
///
/// For other types, use a ``DataSourceMapper`` or `source.codable(Item.self)`.
///
/// Files are replaced atomically and are durable when the call returns. After a crash, a file holds the old or the new value. If the
/// ``FileNaming`` can derive the key from the file name, a value's file contains only the value. Otherwise it also contains the key. No key
/// can refer to a file outside the folder, and symbolic links in the folder are not followed.
///
/// The first write creates the folder with mode 0700. Reads do not create files or folders. Several processes and instances can share a
/// folder, because a lock file serializes their writes. ``changes(for:)`` reports only writes made through the same instance.
///
/// All futures that this source returns are already settled. The source is thread-safe. Each call blocks the current thread on disk I/O.
public final class FileSystemStorageDataSource: Sendable {
    private let folder: ConfinedFolder
    private let naming: FileNaming
    private let fileSystem: any FileSystem
    /// The sequences that observe changes to this source.
    ///
    /// The lock is held while files are changed, so that readers receive changes in the order of the writes.
    private let readers = Mutex(ChangeReaders<Data>())

    private static let lockName = ".larder-lock"

    /// Creates a data source that keeps its files in a folder.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder. No other code may keep files in the folder, because the source may treat them as values.
    ///   - naming: The rule that derives file names from keys.
    public convenience init(folder: String, naming: FileNaming = .sha256) {
        self.init(folder: folder, naming: naming, on: .local)
    }

    /// Creates a data source that keeps its files in a folder of a given file system.
    package init(folder: String, naming: FileNaming = .sha256, on fileSystem: any FileSystem) {
        self.folder = ConfinedFolder(folder, on: fileSystem)
        self.naming = naming
        self.fileSystem = fileSystem
    }

    /// The path of the folder that holds the files.
    public var path: String { folder.path }
}

extension FileSystemStorageDataSource: GetDataSource, PutDataSource, DeleteDataSource {
    /// Reads the value that is stored under a key.
    ///
    /// - Parameter query: A query for the key of the value.
    /// - Returns: A future that settles with the bytes. It fails with `CoreError.NotFound` if the key has no value or has a list, with
    ///   `CoreError.DataSerialization` if the file is corrupt, and with `FileError` if the file can't be read.
    public func get(_ query: any KeyQuery) -> Future<Data> {
        Future { try stored(query.key).value(of: query.key) }
    }

    /// Reads the list under a key, the values of several keys, or all values sorted by key.
    ///
    /// - Parameter query: The query that selects the list.
    /// - Returns: A future that settles with the list. Several keys are read one after another, so the list is not a snapshot. It fails
    ///   with the same errors as ``get(_:)``, which name the first missing key.
    public func getAll(_ query: any StoreQuery) -> Future<[Data]> {
        Future {
            try query.selection.list {
                try $0.map(stored)
            } all: {
                try everything().map(\.content)
            }
        }
    }

    /// Writes a value durably before the call returns.
    ///
    /// - Parameters:
    ///   - value: The bytes to write. `nil` fails with `CoreError.IllegalArgument`.
    ///   - query: A query for the key of the value.
    /// - Returns: A future that settles with the value. If it fails with `FileError`, the previous value is unchanged, unless the error's
    ///   code says otherwise.
    @discardableResult
    public func put(_ value: Data?, in query: any KeyQuery) -> Future<Data> {
        Future {
            guard let value else { throw CoreError.IllegalArgument.nilValue }
            try write([(query.key, .value(value))])
            return value
        }
    }

    /// Writes a list under one key, or one value under each of several keys.
    ///
    /// - Parameters:
    ///   - values: The complete list to write. For several keys, it must have one value for each key; otherwise the call fails with
    ///     `CoreError.IllegalArgument`.
    ///   - query: One or several keys. `AllObjectsQuery` fails with `CoreError.QueryNotSupported`.
    /// - Returns: A future that settles with the list. If it fails, nothing was changed. Several files are written one after another, so
    ///   after a crash, only some files may have been written.
    @discardableResult
    public func putAll(_ values: [Data], in query: any StoreQuery) -> Future<[Data]> {
        Future {
            try write(query.selection.holding(values))
            return values
        }
    }

    /// Deletes the values that a query selects.
    ///
    /// Keys without a value are ignored.
    ///
    /// - Parameter query: The query that selects the values. `AllObjectsQuery` deletes all files that this source may have written, but not
    ///   the folder.
    /// - Returns: A future that settles when the files are deleted. If it fails with `FileError`, nothing was deleted.
    @discardableResult
    public func delete(_ query: any StoreQuery) -> Future<Void> {
        Future {
            switch query.selection {
            case .key(let key): try write([(key, nil)])
            case .keys(let keys): try write(keys.map { ($0, nil) })
            case .all: try removeEverything()
            }
        }
    }
}

extension FileSystemStorageDataSource: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Changes a value atomically, even if other processes write to the folder.
    ///
    /// - Parameters:
    ///   - query: A query for the key of the value. If the key holds a list, `change` receives `nil`, and the list is kept unless `change`
    ///     sets a value.
    ///   - change: A closure that changes the value. It runs outside all locks and may use the source. It runs again after a conflict with
    ///     another write to the file. After 1,000 conflicts, for example because `change` itself writes the key, the future fails with
    ///     `CoreError.Failed`.
    /// - Returns: A future that settles with the changed value. If it fails, nothing was changed.
    @discardableResult
    public func update(
        _ query: any KeyQuery,
        _ change: @escaping @Sendable (inout Data?) throws -> Void
    ) -> Future<Data?> {
        Future {
            let key = query.key
            let name = try name(of: key)
            for _ in 0..<Self.updateLimit {
                let before = try folder.contents(of: name)
                var value: Data?
                if case .value(let old)? = try content(of: before, name, for: key) { value = old }
                let old = value
                try change(&value)
                if value == old { return value }
                let isWritten = try writing {
                    guard try folder.contents(of: name) == before else { return nil }
                    return [(key, name, value.map { .value($0) })]
                }
                if isWritten { return value }
            }
            throw CoreError.Failed.overtaken(key, times: Self.updateLimit)
        }
    }

    private static var updateLimit: Int { 1_000 }

    /// Returns all values except lists, with their keys, sorted by key.
    ///
    /// - Returns: A future that settles with the entries. It fails with `CoreError.DataSerialization` if a file is corrupt, and with
    ///   `FileError` if the folder can't be read.
    public func entries() -> Future<[DataSourceEntry<Data>]> {
        Future {
            try everything().compactMap { key, content in
                guard case .value(let value) = content else { return nil }
                return DataSourceEntry(key: key, value: value)
            }
        }
    }

    /// Returns the changes that this instance makes to the keys that a query selects.
    ///
    /// Writes by other instances and other processes are not reported. Share one instance within a process, and read the values again if
    /// another process may have written.
    ///
    /// - Parameter query: A query that selects the keys to observe.
    /// - Returns: A sequence of changes. Iterate it only once.
    public func changes(for query: any StoreQuery) -> DataSourceChanges<Data> {
        let (selection, buffer) = (query.selection, ChangeBuffer<Data>())
        let others = readers.withLock { $0.add(buffer, for: selection) }
        withExtendedLifetime(others) {}
        return DataSourceChanges(buffer: buffer, subscription: buffer)
    }
}

// MARK: - Files

extension FileSystemStorageDataSource {
    private func name(of key: String) throws -> String {
        let name = naming.name(of: key)
        guard name.lowercased() != Self.lockName else {
            throw CoreError.IllegalArgument(
                "The file name \(name.debugDescription) can't be used because it is reserved for the folder's lock. Use another key or another `FileNaming`."
            )
        }
        return name
    }

    /// Returns the file content for a key, or `nil` if there is no file or the file belongs to another key with the same file name.
    private func stored(_ key: String) throws -> StoredFile.Content? {
        let name = try name(of: key)
        return try content(of: folder.contents(of: name), name, for: key)
    }

    /// Decodes the bytes of a file, or returns `nil` if the file belongs to a key other than `key`.
    private func content(of bytes: Data?, _ name: String, for key: String) throws -> StoredFile.Content? {
        guard let bytes else { return nil }
        let file = try StoredFile(bytes, at: folder.path(of: name))
        if let owner = file.key, !owner.utf8.elementsEqual(key.utf8) { return nil }
        return file.content
    }

    /// Returns the files that this source may have written, sorted by key.
    ///
    /// The key of a corrupt file is `nil`.
    private func ownFiles(_ nameOfKey: (String) -> String) throws -> [(key: String?, name: String)] {
        guard try fileSystem.information(at: folder.path, followingLinks: true) != nil else { return [] }
        var files: [(key: String?, name: String)] = []
        for name in try folder.names() where name.lowercased() != Self.lockName {
            // A file with an invalid name can't have been written by this source.
            guard let path = try? folder.path(of: name),
                try fileSystem.information(at: path, followingLinks: false)?.kind == .file
            else { continue }
            if let key = naming.key(of: name) {
                files.append((key, name))
            } else if let bytes = try folder.contents(of: name) {
                do {
                    let key = try StoredFile(bytes, at: path).key
                    if let key, nameOfKey(key).utf8.elementsEqual(name.utf8) { files.append((key, name)) }
                } catch is CoreError.DataSerialization {
                    files.append((nil, name))
                }
            }
        }
        return files.sorted { ($0.key ?? "").utf8.lexicographicallyPrecedes(($1.key ?? "").utf8) }
    }

    private func everything() throws -> [(key: String, content: StoredFile.Content)] {
        try ownFiles(naming.name).compactMap { key, name in
            if let key { return try stored(key).map { (key, $0) } }
            // The file was corrupt when it was listed. Reading it again throws the error.
            _ = try folder.contents(of: name).map { try StoredFile($0, at: folder.path(of: name)) }
            return nil
        }
    }

    private func write(_ writes: [(key: String, held: Held<Data>?)]) throws {
        let changes = try writes.map { (key: Optional($0.key), name: try name(of: $0.key), content: $0.held) }
        try writing { changes }
    }

    /// Removes all files that this source may have written, or none if a removal fails.
    private func removeEverything() throws {
        guard naming.runsCallersCode else {
            try writing { try ownFiles(naming.name).map { ($0.key, $0.name, nil) } }
            return
        }
        // The caller's naming closure runs before the locks are acquired, and again if new files appear in the meantime.
        var names: [StoreKey: String] = [:]
        for _ in 0..<Self.updateLimit {
            _ = try ownFiles { key in
                let name = naming.name(of: key)
                names[StoreKey(key)] = name
                return name
            }
            let isRemoved = try writing {
                var areAllKnown = true
                let files = try ownFiles { key in
                    if let name = names[StoreKey(key)] { return name }
                    areAllKnown = false
                    return ""
                }
                return areAllKnown ? files.map { ($0.key, $0.name, nil) } : nil
            }
            if isRemoved { return }
        }
        throw CoreError.Failed(
            "Nothing was deleted because \(counted(Self.updateLimit, "attempt")) to delete all files conflicted with other writes. Make sure that the `FileNaming` closure does not write to this source, and try again."
        )
    }

    /// Changes files while holding the folder's lock, and undoes all changes if one fails.
    ///
    /// - Parameter changes: A closure that returns the changes to make, or `nil` for no changes. It runs while locks are held and must not
    ///   call code that the caller passed.
    /// - Returns: `true` if the changes were made, or `false` if `changes` returned `nil`.
    /// - Throws: `FileError`, or the error of `changes`. In that case nothing was changed, unless the error is `CoreError.Failed`, which
    ///   means that the changes could not be undone.
    @discardableResult
    private func writing(
        _ changes: () throws -> [(key: String?, name: String, content: StoredFile.Content?)]?
    ) throws -> Bool {
        let followups = try readers.withLock { readers -> [ChangeBuffer<Data>.Followup]? in
            try folder.create()
            let lock = LockFile(at: FilePath.joining(folder.path, Self.lockName), on: fileSystem)
            return try lock.withLock {
                guard let changes = try changes() else { return nil }
                var undone: [(name: String, bytes: Data?)] = []
                var told: [DataSourceChange<Data>] = []
                do {
                    for (key, name, content) in changes {
                        let old = try folder.contents(of: name)
                        guard try replace(old, key, name, content) else { continue }
                        undone.append((name, old))
                        if let key { told.append(DataSourceChange(content, key: key)) }
                    }
                } catch {
                    try undo(undone, after: error)
                    throw error
                }
                return told.flatMap(readers.notify)
            }
        }
        guard let followups else { return false }
        for followup in followups { followup.carryOut() }
        return true
    }

    /// Writes a file, or removes it if `content` or `key` is `nil`.
    ///
    /// Returns `false` if there is no file to remove, or if the file belongs to another key.
    private func replace(
        _ old: Data?,
        _ key: String?,
        _ name: String,
        _ content: StoredFile.Content?
    ) throws -> Bool {
        // A corrupt file is treated as a file of `key`, so that it can be replaced or deleted.
        let owner = old.flatMap { try? StoredFile($0, at: folder.path(of: name)) }?.key
        let belongsToAnother = owner.map { !$0.utf8.elementsEqual((key ?? "").utf8) } ?? false
        guard let content, let key else {
            guard old != nil, !belongsToAnother else { return false }
            try folder.remove(name)
            return true
        }
        guard !belongsToAnother else {
            throw CoreError.IllegalArgument(
                "The value for \(key.debugDescription) can't be written because its file name \(name.debugDescription) is already used by the key \((owner ?? "").debugDescription). Use a `FileNaming` that gives each key its own file name."
            )
        }
        let tellsKey = naming.key(of: name) != nil
        try folder.replaceContents(of: name, with: StoredFile.encoded(content, key: key, nameTellsKey: tellsKey))
        return true
    }

    private func undo(_ files: [(name: String, bytes: Data?)], after failure: any Error) throws {
        for (name, bytes) in files.reversed() {
            do {
                if let bytes {
                    try folder.replaceContents(of: name, with: bytes)
                } else {
                    try folder.remove(name)
                }
            } catch {
                throw CoreError.Failed(
                    "A write of several values failed (\(ErrorCause.text(failure))), and the file \(name.debugDescription) could not be restored. Write the values again.",
                    underlying: error
                )
            }
        }
    }
}

extension FileSystemStorageDataSource: PlacedDataSource {
    /// The origin of the values, which is always `device`.
    public var storedOrigin: StoredOrigin { .device }
}
