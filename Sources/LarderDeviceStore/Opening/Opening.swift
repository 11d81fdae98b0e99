import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that open a store and read its entire log.
enum Opening {
    /// Opens the store at `path`, or creates the store if it does not exist.
    ///
    /// Symbolic links in `path` must be resolved.
    static func open(_ path: String, _ options: DeviceStoreOptions) throws -> DeviceEngine {
        do {
            let fileSystem = options.environment.fileSystem
            let issues = IssueChannel(label: "larder.device")
            if options.isReadOnly {
                return try openForReading(path, options, issues, salvaging: options.damage != .refuse)
            }
            try StoreError.checkName(path)
            try fileSystem.createDirectory(at: FilePath.folder(of: path))
            try checkVolume(of: path, options)
            let engine: DeviceEngine
            do {
                engine = try openForWriting(path, options, issues)
            } catch let error as StoreError where error.code == .damaged && error.offset != nil {
                switch options.damage {
                case .refuse: throw error
                case .readOnly: return try openForReading(path, options, issues, salvaging: true)
                case .quarantine:
                    let damage = try Repair.run(path, options)
                    engine = try openForWriting(path, options, issues, after: damage)
                }
            }
            engine.enter { Compaction.runForExpired(&$0) }
            return engine
        } catch {
            throw StoreError.device(error, path)
        }
    }

    /// Throws an error if `path` is on a network file system that the options do not allow.
    static func checkVolume(of path: String, _ options: DeviceStoreOptions) throws {
        guard
            !options.allowsNetworkFileSystem,
            try options.environment.fileSystem.volume(at: FilePath.folder(of: path)).isNetwork == true
        else { return }
        throw StoreError(
            .invalidConfiguration,
            "The store \(path.debugDescription) is on a network file system, where locks may not work. Choose a local folder, or set `allowsNetworkFileSystem` in the options.",
            path: path
        )
    }

    private static func openForReading(
        _ path: String,
        _ options: DeviceStoreOptions,
        _ issues: IssueChannel,
        salvaging: Bool
    ) throws -> DeviceEngine {
        let file = try options.environment.fileSystem.open(path, .reading)
        let header: LogHeader
        do {
            header = try LogHeader.read(from: file, path).header
        } catch let error as StoreError where error.code == .damaged && salvaging {
            guard let good = try Salvage(withoutHeader: file, path, options.environment) else { throw error }
            return engine(of: good, after: error, path, options, issues)
        }
        let log = try DeviceLog(file: file, header: header, needsFolderSync: false)
        // This offset is read before the size of the file, so the file contains all bytes before this offset even if other processes keep
        // writing.
        let trustedEnd = header.trustedEnd(
            try ControlStatement(beside: path, log, on: options.environment.fileSystem)
        )
        let size = try file.information().size
        var entries = DeviceIndex()
        let end = try log.reader.frames(from: .beginning, to: size) { try entries.apply($0, hash: entries.hash) }
        if end.offset < trustedEnd {
            let error = header.damage(of: path, at: end.offset)
            guard salvaging else { throw error }
            let good = try Salvage(of: log, path, trustedEnd: trustedEnd, options.environment)
            return engine(of: good, after: error, path, options, issues)
        }
        let opened = Opened(
            path: path,
            control: nil,
            log: log,
            entries: entries,
            end: end,
            fileSize: size,
            mark: end.offset,
            issues: issues
        )
        return DeviceEngine(Rooms(opened, options.environment))
    }

    /// Returns a read-only engine for the intact commits of a corrupt log.
    private static func engine(
        of good: consuming Salvage,
        after error: StoreError,
        _ path: String,
        _ options: DeviceStoreOptions,
        _ issues: IssueChannel
    ) -> DeviceEngine {
        issues.report(LarderIssue(.damaged, "\(good.damage)", underlying: error))
        let (log, size, end, damage) = (good.log, good.bytes.count, good.end, good.damage)
        let opened = Opened(
            path: path,
            control: nil,
            log: log,
            entries: good.entries,
            end: end,
            fileSize: size,
            mark: end.offset,
            damage: damage,
            issues: issues
        )
        return DeviceEngine(Rooms(opened, options.environment))
    }

    private static func openForWriting(
        _ path: String,
        _ options: DeviceStoreOptions,
        _ issues: IssueChannel,
        after damage: DeviceStoreDamage? = nil
    ) throws -> DeviceEngine {
        let environment = options.environment
        return try OpeningTurn.open(path, environment, by: { try openOrCreate(path, environment) }) { opening in
            try openForWriting(path, options, issues, after: damage, &opening)
        }
    }

    private static func openForWriting(
        _ path: String,
        _ options: DeviceStoreOptions,
        _ issues: IssueChannel,
        after damage: DeviceStoreDamage?,
        _ opening: inout OpeningTurn
    ) throws -> DeviceEngine {
        let environment = options.environment
        let owned = opening.log
        let (control, page, file) = (owned.control, owned.control.page, owned.file)
        let reading = try LogHeader.read(from: file, path)
        let header = reading.header
        try header.checkWriting(path)
        let log = try DeviceLog(
            file: file,
            header: header,
            needsFolderSync: true,
            owner: owned.owner,
            information: owned.information
        )
        if !reading.flaws.isEmpty {
            issues.report(
                LarderIssue(
                    .damaged,
                    "Part of the header of the store \(path.debugDescription) is corrupt, but no data is affected. Run `larder repair` to restore the header."
                )
            )
        }
        let subject = ControlFile.Subject(of: log, boot: try environment.fileSystem.bootBytes())
        let statement = control.statement(of: subject, generation: header.generation)
        let size = owned.information.size
        let logSize = max(0, size - LogFormat.headerSize - LogFormat.smallestReservation - LogFormat.reserve)
        var entries = DeviceIndex()
        var tail = Tail()
        var lastFrame = 0..<0
        let end = try log.reader.frames(
            from: .beginning,
            to: size,
            rest: { tail.look(at: $0, from: $1) }
        ) { found in
            lastFrame = found.range
            entries.reserve(for: found, logSize: logSize)
            try entries.apply(found, hash: entries.hash)
        }
        guard end.offset >= header.trustedEnd(statement) else { throw header.damage(of: path, at: end.offset) }
        try tail.look(at: file, from: end.offset, to: size)
        if !statement.isCurrent { control.notifyOthers(of: subject, header.generation) }
        do {
            try removeTornTail(file, path, from: end.offset, to: tail.lastByte, issues)
        } catch {
            noteFailure(control, subject, statement, StateWord(generation: header.generation, end: end.offset), header)
            throw error
        }
        if statement.isCurrent {
            if !statement.isOfThisBoot {
                page[LogFormat.Control.syncedWord] = 0
                page[LogFormat.Control.namedGeneration] = 0
            }
            let isNamed = page[LogFormat.Control.namedGeneration] == header.generation
            log.needsFolderSync.store(!isNamed, ordering: .releasing)
        } else {
            // The number of failures is not reset, because a repair uses it to notify processes that still have the former file open.
            for field in [
                LogFormat.Control.failedGeneration, LogFormat.Control.syncedWord, LogFormat.Control.namedGeneration,
            ] {
                page[field] = 0
            }
        }
        page[LogFormat.Control.stateWord] = StateWord(generation: header.generation, end: end.offset).rawValue
        // The pending end is cleared after the shared word with the end of the log is set, as at the end of a compaction.
        page[LogFormat.Control.pendingEnd] = 0
        // The number of failures is read before the failed generation, so that the engine detects a failure that occurs in between.
        let failures = page[LogFormat.Control.failures]
        let hasFailed = page[LogFormat.Control.failedGeneration] >= header.generation
        let opened = Opened(
            path: path,
            control: control,
            log: log,
            entries: entries,
            end: end,
            fileSize: size,
            mark: header.syncedMark,
            lastFrame: lastFrame,
            failures: failures,
            damage: damage,
            issues: issues,
            io: options.io == .mapped && control.allowsMapping ? .mapped : .systemCalls
        )
        var rooms = Rooms(opened, environment)
        do {
            // A process that opened the store since the machine started may have died before its changes were synced.
            let mustSync = !statement.isOfThisBoot && !owned.isNew && tail.lastByte == nil
            try rooms.alone(&opening) { try settle(hasFailed: hasFailed, mustSync: mustSync, &$0) }
        } catch {
            // The page must identify the failed log for the next process that opens the store.
            if !statement.isCurrent, control.hasLock { control.subject = subject }
            throw error
        }
        // If the control file was truncated in the meantime, its mapped page may be private to this process.
        guard control.hasLock else { throw StoreError.lostControl(path, by: nil) }
        // The log is recorded last, because other processes that find a new page can proceed from here on.
        if !statement.isCurrent { control.subject = subject }
        return DeviceEngine(rooms)
    }

    /// Records in the control file that the next process to open the store must rewrite the log to a new file.
    ///
    /// After a failed sync, the kernel may return data that is not on the disk.
    static func noteFailure(
        _ control: ControlFile,
        _ subject: ControlFile.Subject,
        _ statement: ControlStatement,
        _ word: StateWord,
        _ header: LogHeader
    ) {
        guard control.hasLock else { return }
        let page = control.page
        if !statement.isCurrent { page[LogFormat.Control.failedGeneration] = 0 }
        page.noteFailure(of: header.generation)
        guard !statement.isCurrent else { return }
        for field in [
            LogFormat.Control.syncedWord, LogFormat.Control.namedGeneration, LogFormat.Control.pendingEnd,
        ] {
            page[field] = 0
        }
        page[LogFormat.Control.stateWord] = word.rawValue
        control.subject = subject
    }

    /// Finishes opening a store after its log has been read, and syncs or rewrites the log if necessary.
    private static func settle(hasFailed: Bool, mustSync: Bool, _ shared: inout SharedTurn) throws {
        if hasFailed {
            // After a failed sync, the kernel may return data that is not on the disk, so the log is rewritten to another file.
            try Compaction.rewrite(&shared)
        } else if mustSync || shared.writer.log.mark < shared.writer.log.end.offset {
            try Syncing.syncOrFail(&shared.writer) { try Syncing.syncFile($0.log.log, &$0) }
            // A compaction that is about to end in another process must preserve the confirmed commits.
            shared.page?.noteConfirmed(shared.writer.word, generation: shared.writer.log.log.generation)
            try Mark.writeIfThereIsRoom(shared.writer.log.end.offset, &shared)
            shared.syncs.note(0)
        } else {
            // The process that created the file may have died before the file's name was durable.
            try Syncing.syncOrFail(&shared.writer) { try Syncing.syncName(of: $0.log.log, &$0) }
        }
        let path = shared.place.path
        do {
            try shared.place.environment.fileSystem.removeStaleNewFile(for: path)
        } catch {
            shared.observers.issues.report(
                LarderIssue(
                    .degraded,
                    "The file \((path + LogFormat.newSuffix).debugDescription), which was left behind by an interrupted compaction, can't be removed. No data is affected; delete the file to reclaim space.",
                    underlying: error
                )
            )
        }
    }

    private static func openOrCreate(
        _ path: String,
        _ environment: DeviceEnvironment
    ) throws -> (file: any OpenFile, isNew: Bool) {
        let fileSystem = environment.fileSystem
        for _ in 0..<10 {
            do {
                return (try fileSystem.open(path, .writing), false)
            } catch let error as FileError where error.code == .notFound {}
            // The file is created under a temporary name, so that no process reads a partial header. The lock on the temporary file may
            // remain, because no process requests it.
            let file = try fileSystem.createNewFile(for: path)
            do {
                try file.write(LogHeader.new().block, at: 0)
                try file.reserve(LogFormat.headerSize + LogFormat.smallestReservation + LogFormat.reserve)
                try file.synchronize(.everything)
                try fileSystem.putNewFile(file, at: path)
            } catch {
                // If the file can't be removed, the next process that creates the store recreates it.
                try? fileSystem.removeNewFile(file, for: path)
                // A process with another control file may have created the store in the meantime and committed to it.
                if let error = error as? FileError, error.operation == .rename,
                    [.alreadyExists, .notFound, .busy].contains(error.code)
                {
                    continue
                }
                throw error
            }
            // The folder is synced before the store is used, as for every file whose name may not be durable.
            return (file, true)
        }
        throw StoreError.contestedLog(path)
    }

    /// The result of scanning a log file for nonzero bytes after the last commit.
    private struct Tail {
        /// The offset of the last nonzero byte, or `nil` if all bytes are zero.
        private(set) var lastByte: Int?
        private var end = 0

        mutating func look(at bytes: UnsafeRawBufferPointer, from offset: Int) {
            if let found = bytes.lastNonZero(in: 0..<bytes.count) { lastByte = offset + found }
            end = offset + bytes.count
        }

        /// Scans `file` for nonzero bytes, continuing after the bytes that have already been scanned.
        mutating func look(at file: any OpenFile, from start: Int, to size: Int) throws {
            let blockSize = 64 << 10
            let first = max(start, end)
            guard first < size else { return }
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 8)
            defer { block.deallocate() }
            for offset in stride(from: first, to: size, by: blockSize) {
                let wanted = UnsafeMutableRawBufferPointer(rebasing: block[..<min(blockSize, size - offset)])
                let filled = try file.read(into: wanted, at: offset)
                look(at: UnsafeRawBufferPointer(rebasing: wanted[..<filled]), from: offset)
            }
        }
    }

    private static func removeTornTail(
        _ file: any OpenFile,
        _ path: String,
        from start: Int,
        to last: Int?,
        _ issues: IssueChannel
    ) throws {
        let blockSize = 1 << 20
        guard let last else { return }
        for offset in stride(from: start, through: last, by: blockSize) {
            try file.write([UInt8](repeating: 0, count: min(blockSize, last + 1 - offset)), at: offset)
        }
        try file.synchronize(.data)
        issues.report(
            LarderIssue(
                .damaged,
                "A crash interrupted the last commit to the store \(path.debugDescription), so the incomplete commit at offset \(start) was discarded. All earlier commits are intact."
            )
        )
    }

}

extension FileSystem {
    /// Returns the identifier of the machine's current boot, in the format of the control file.
    ///
    /// All bytes are zero if the boot identifier is not available.
    ///
    /// - Throws: `FileError` if the boot identifier can't be read because too many files are open.
    func bootBytes() throws -> [UInt8] {
        let text: String
        do {
            text = try bootIdentifier()
        } catch let error as FileError where error.isOfTooManyOpenFiles {
            throw error
        } catch {
            // Zeros match no boot of the machine, so the sync state that the control file records is ignored.
            text = ""
        }
        let bytes = Array(text.utf8.prefix(LogFormat.Control.bootSize))
        return bytes + [UInt8](repeating: 0, count: LogFormat.Control.bootSize - bytes.count)
    }
}
