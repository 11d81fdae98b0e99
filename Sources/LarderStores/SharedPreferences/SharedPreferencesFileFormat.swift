import LarderCore
import LarderFiles

/// The file format of a ``SharedPreferencesStore``, including the backup file.
struct SharedPreferencesFileFormat: WholeFileFormat {
    struct Content: WholeFileContent {
        private(set) var table = StoreTable()
        private(set) var problems: [StoreVerification.Problem] = []
        /// The keys of numbers that are stored as `<long>` although they fit in an `<int>`.
        private(set) var longs: Set<StoreKey> = []

        init() {}

        /// Creates the content of a file from the result of reading the file.
        init(_ read: SharedPreferencesReader.Result) {
            for entry in read.entries { set(entry.value, isLong: entry.isLong, for: StoreKey(entry.key)) }
            problems = read.problems
        }

        mutating func set(_ value: StoredValue?, isLong: Bool = false, for key: StoreKey) {
            table[key] = value
            if isLong { longs.insert(key) } else { longs.remove(key) }
        }

        mutating func apply(_ batch: StoreBatch) -> StoreTableChange {
            var fitting = StoreBatch()
            fitting.origin = batch.origin
            for write in batch.writes {
                let current = table[write.key]
                fitting.write(write.value.map { SharedPreferencesForm.fitting($0, over: current) }, for: write.key)
                keepLong(write, over: current)
            }
            return table.apply(fitting)
        }

        private mutating func keepLong(_ write: StoreBatch.Write, over current: StoredValue?) {
            guard case .int? = write.value else {
                longs.remove(write.key)
                return
            }
            if case .int(let number)? = current, Int32(exactly: number) == nil { longs.insert(write.key) }
        }

        /// Removes entries that can be read but not written, and returns a problem for each removed entry.
        mutating func removeUnwritable() -> [StoreVerification.Problem] {
            var removed: [StoreVerification.Problem] = []
            for entry in table.allEntries.sorted(by: { $0.key < $1.key }) {
                do {
                    try SharedPreferencesForm.check(entry.value, under: entry.key)
                } catch {
                    removed.append(.init("\(error)", key: entry.key.text))
                    set(nil, for: entry.key)
                }
            }
            problems = []
            return removed
        }
    }

    static let name = "shared preferences"
    static let storeType = "SharedPreferencesStore"
    var empty: Content { Content() }

    func check(_ batch: StoreBatch) throws {
        for write in batch.writes {
            if let value = write.value { try SharedPreferencesForm.check(value, under: write.key) }
        }
    }

    func decode(_ bytes: [UInt8]) throws -> Content {
        try XMLEncoding.check(bytes, advice: "Convert a copy to UTF-8, as Android writes it")
        let read = SharedPreferencesReader.read(bytes)
        if let damage = read.damage { throw damage }
        return Content(read)
    }

    func encode(_ content: Content) throws -> [UInt8] {
        let entries = content.table.allEntries.sorted { $0.key < $1.key }
        return try SharedPreferencesWriter.bytes(
            of: entries.map { StoreEntry(key: $0.key.text, value: $0.value) },
            isLong: { content.longs.contains(StoreKey($0.key)) }
        )
    }

    func salvage(_ bytes: [UInt8]) -> (content: Content, problems: [StoreVerification.Problem]) {
        let read = SharedPreferencesReader.read(bytes)
        var content = Content(read)
        var problems = read.problems
        if problems.isEmpty, let damage = read.damage {
            problems.append(
                .init("No entries can be read beyond this offset: \(damage.reason).", offset: damage.offset)
            )
        }
        problems += content.removeUnwritable()
        return (content, problems)
    }

    // MARK: - Backup

    static func backup(of path: String) -> String { path + ".bak" }

    func current(
        at path: String,
        on fileSystem: any FileSystem
    ) throws -> (path: String, information: FileInformation)? {
        for candidate in [Self.backup(of: path), path] {
            if let information = try fileSystem.information(at: candidate, followingLinks: true) {
                return (candidate, information)
            }
        }
        return nil
    }

    func replace(
        _ path: String,
        seen: FileInformation?,
        with bytes: [UInt8],
        on fileSystem: any FileSystem
    ) throws -> FileError? {
        let backup = Self.backup(of: path)
        let folder = FilePath.folder(of: path)
        guard let current = try current(at: path, on: fileSystem) else {
            guard seen == nil else { throw Self.conflict(path) }
            return try fileSystem.replaceContentsReturningSyncError(of: path, with: bytes)
        }
        let isMoved = current.path == path
        do {
            if isMoved {
                try fileSystem.rename(path, to: backup)
                try fileSystem.synchronizeDirectory(at: folder)
            }
            // The file is compared only after the rename, because other programs can then no longer open the file by its original name.
            guard try fileSystem.information(at: backup, followingLinks: true) == seen, let seen else {
                throw Self.conflict(path)
            }
            try fileSystem.replaceContents(of: path, with: bytes, permissions: seen.permissions)
            try fileSystem.remove(backup)
        } catch {
            // Readers use the backup file until it is renamed, so no data is lost even if renaming fails, too.
            if isMoved {
                try? fileSystem.rename(backup, to: path)
                try? fileSystem.synchronizeDirectory(at: folder)
            }
            throw error
        }
        do {
            try fileSystem.synchronizeDirectory(at: folder)
            return nil
        } catch let error as FileError {
            return error
        }
    }

    private static func conflict(_ path: String) -> StoreError {
        StoreError(
            .conflict,
            "Another program changed \(path.debugDescription) during a commit, so nothing was written. Read the values again and retry.",
            path: path
        )
    }
}
