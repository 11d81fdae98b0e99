public import Foundation
public import LarderCore
package import LarderFiles
import Synchronization

/// A source that keeps each value, some bytes, in a file of its own; map it for other types, or write `source.codable(Item.self)`.
///
/// A file is replaced in one step and is on the disk when the call returns: after a crash the old value is there or the new one,
/// whole. A value's file holds exactly its bytes where ``FileNaming`` tells the key, and otherwise says which key it is for. No key
/// leads out of the folder, and a symbolic link in it is never followed.
///
/// The folder is created, with mode 0700, by the first write; reading creates nothing. Several processes and instances may use one
/// folder: writers take turns. ``changes(for:)`` tells what is written through this instance.
///
/// Every future is settled. It may be used from any thread; a call waits for the disk.
public final class FileSystemStorageDataSource: Sendable {
    private let folder: ConfinedFolder
    private let naming: FileNaming
    private let fileSystem: any FileSystem
    /// Held while files are changed, so that changes are told in the order they happened.
    private let readers = Mutex(ChangeReaders<Data>())

    private static let lockName = ".larder-lock"

    /// A source over a folder.
    ///
    /// - Parameters:
    ///   - folder: Its path. Give the source a folder of its own: what else is in it may be taken for values.
    ///   - naming: How the files are called.
    public convenience init(folder: String, naming: FileNaming = .sha256) {
        self.init(folder: folder, naming: naming, on: .local)
    }

    /// A source over a folder of any file system.
    package init(folder: String, naming: FileNaming = .sha256, on fileSystem: any FileSystem) {
        self.folder = ConfinedFolder(folder, on: fileSystem)
        self.naming = naming
        self.fileSystem = fileSystem
    }

    /// The folder.
    public var path: String { folder.path }
}

extension FileSystemStorageDataSource: GetDataSource, PutDataSource, DeleteDataSource {
    /// Reads one value.
    ///
    /// - Parameter query: Its key.
    /// - Returns: The bytes. Fails with `CoreError.NotFound` when there are none or a list, with `CoreError.DataSerialization` when
    ///   the file is damaged, and with `FileError` when it can't be read.
    public func get(_ query: any KeyQuery) -> Future<Data> {
        Future { try stored(query.key).value(of: query.key) }
    }

    /// Reads a list: the one under a key, the values of several keys, or everything, sorted by key.
    ///
    /// - Parameter query: Says which.
    /// - Returns: The list. Each element is of one moment; several keys are read one after another. Fails as ``get(_:)`` does, naming
    ///   the first key that is missing.
    public func getAll(_ query: any StorageQuery) -> Future<[Data]> {
        Future {
            try query.selection.list {
                try $0.map(stored)
            } all: {
                try everything().map(\.content)
            }
        }
    }

    /// Writes one value; on the disk when this returns.
    ///
    /// - Parameters:
    ///   - value: The bytes; `nil` fails with `CoreError.IllegalArgument`.
    ///   - query: Its key.
    /// - Returns: The value. When it failed, with `FileError`, the earlier value is still there, unless the error says otherwise.
    @discardableResult
    public func put(_ value: Data?, in query: any KeyQuery) -> Future<Data> {
        Future {
            guard let value else { throw CoreError.IllegalArgument.nilValue }
            try write([(query.key, .value(value))])
            return value
        }
    }

    /// Writes a list into one file, or one value for each of several keys.
    ///
    /// - Parameters:
    ///   - values: The whole list; for several keys as many values as keys: otherwise it fails with `CoreError.IllegalArgument`.
    ///   - query: Says where; `AllObjectsQuery` fails with `CoreError.QueryNotSupported`.
    /// - Returns: The list. When it failed nothing was changed. Several files are written one after another: a crash may come between.
    @discardableResult
    public func putAll(_ values: [Data], in query: any StorageQuery) -> Future<[Data]> {
        Future {
            try write(query.selection.holding(values))
            return values
        }
    }

    /// Deletes what a query names; a missing key is no error.
    ///
    /// - Parameter query: Says what. Everything means every file that this source may have written; the folder stays.
    /// - Returns: Nothing. When it failed, with `FileError`, nothing was deleted.
    @discardableResult
    public func delete(_ query: any StorageQuery) -> Future<Void> {
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
    /// Changes one value; no other writer, of this process or another, comes between.
    ///
    /// - Parameters:
    ///   - query: Its key; a list under it counts as no value and is kept when `change` leaves `nil`.
    ///   - change: Runs outside every lock and may use the source. It runs again when the file was written meanwhile. Where that happens
    ///     1,000 times in a row, as when `change` itself writes the key, the future fails with `CoreError.Failed`.
    /// - Returns: The value as it is now. When it failed nothing was changed.
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

    /// Every single value with its key, sorted by key; lists are left out.
    ///
    /// - Returns: The entries. Fails with `CoreError.DataSerialization` when a file is damaged, and with `FileError` when the folder
    ///   can't be read.
    public func entries() -> Future<[DataSourceEntry<Data>]> {
        Future {
            try everything().compactMap { key, content in
                guard case .value(let value) = content else { return nil }
                return DataSourceEntry(key: key, value: value)
            }
        }
    }

    /// What is written through this instance from now on under the keys of a query.
    ///
    /// Of what other instances and other processes write nothing is told: a folder announces nothing by itself. Share one instance
    /// among those who read and write in a process, and read again where another process may have written.
    ///
    /// - Parameter query: Which keys.
    /// - Returns: A sequence for one reader.
    public func changes(for query: any StorageQuery) -> DataSourceChanges<Data> {
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
            throw CoreError.IllegalArgument("\(name) is the name of the folder's lock: use another key or naming.")
        }
        return name
    }

    /// What is kept for a key; `nil` also where its file holds another key's.
    private func stored(_ key: String) throws -> StoredFile.Content? {
        let name = try name(of: key)
        return try content(of: folder.contents(of: name), name, for: key)
    }

    /// What a file holds for a key.
    private func content(of bytes: Data?, _ name: String, for key: String) throws -> StoredFile.Content? {
        guard let bytes else { return nil }
        let file = try StoredFile(bytes, at: folder.path(of: name))
        if let owner = file.key, !owner.utf8.elementsEqual(key.utf8) { return nil }
        return file.content
    }

    /// The files that this source has written, sorted by their keys; `nil` is the key of one that is damaged and so does not tell it.
    private func ownFiles(_ nameOfKey: (String) -> String) throws -> [(key: String?, name: String)] {
        guard try fileSystem.information(at: folder.path, followingLinks: true) != nil else { return [] }
        var files: [(key: String?, name: String)] = []
        for name in try folder.names() where name.lowercased() != Self.lockName {
            // A name that the folder refuses is none of this source's.
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
            // Damaged when it was looked at: reading it once more throws what is wrong with it.
            _ = try folder.contents(of: name).map { try StoredFile($0, at: folder.path(of: name)) }
            return nil
        }
    }

    private func write(_ writes: [(key: String, held: Held<Data>?)]) throws {
        let changes = try writes.map { (key: Optional($0.key), name: try name(of: $0.key), content: $0.held) }
        try writing { changes }
    }

    /// Removes every file that this source may have written, at one moment.
    private func removeEverything() throws {
        guard naming.runsCallersCode else {
            try writing { try ownFiles(naming.name).map { ($0.key, $0.name, nil) } }
            return
        }
        // The caller's naming is asked before the locks are taken, and again when other files have come meanwhile.
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
        throw CoreError.Failed.overtaken("everything", times: Self.updateLimit)
    }

    /// Makes changes while nobody else does; when one fails those before it are undone.
    ///
    /// - Parameter changes: Runs under the locks, and no caller's code with it. `nil` makes no change.
    /// - Returns: `false` when `changes` returned `nil`.
    /// - Throws: `FileError`, or what `changes` throws; nothing was changed then.
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
                return told.flatMap(readers.tell)
            }
        }
        guard let followups else { return false }
        for followup in followups { followup.carryOut() }
        return true
    }

    /// Writes a file, or removes it when there is no content or nobody knows its key; `false` when there was nothing to do.
    private func replace(
        _ old: Data?,
        _ key: String?,
        _ name: String,
        _ content: StoredFile.Content?
    ) throws -> Bool {
        // A damaged file belongs to whoever names it: it is to be replaced as a whole, so that nothing is lost that was still there.
        let owner = old.flatMap { try? StoredFile($0, at: folder.path(of: name)) }?.key
        let belongsToAnother = owner.map { !$0.utf8.elementsEqual((key ?? "").utf8) } ?? false
        guard let content, let key else {
            guard old != nil, !belongsToAnother else { return false }
            try folder.remove(name)
            return true
        }
        guard !belongsToAnother else {
            throw CoreError.IllegalArgument(
                "The keys \(key.debugDescription) and \((owner ?? "").debugDescription) have one file name, \(name): use another naming."
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
                    "Several values were to be written, one of them failed (\(ErrorCause.text(failure))), and \(name) could not be put back.",
                    underlying: error
                )
            }
        }
    }
}

extension FileSystemStorageDataSource: PlacedDataSource {
    /// This machine.
    public var storedOrigin: StoredOrigin { .device }
}
