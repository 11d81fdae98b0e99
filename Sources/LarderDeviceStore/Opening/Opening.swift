import LarderCore
import LarderFiles
import Synchronization

/// Reading a store for the first time, and putting it to use.
enum Opening {
    /// Opens or creates the store at `path`, which has no links in it.
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

    /// Throws where nothing may be written, because locks may not work.
    static func checkVolume(of path: String, _ options: DeviceStoreOptions) throws {
        guard
            !options.allowsNetworkFileSystem,
            try options.environment.fileSystem.volume(at: FilePath.folder(of: path)).isNetwork == true
        else { return }
        throw StoreError(
            .invalidConfiguration,
            "\(path) lies on a network file system, where locks may not work: choose a local folder, or allow it in the options.",
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
        // Asked before the size: whatever was written by then is in the file, though others go on writing to it meanwhile.
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

    /// A read-only engine of what is good in a damaged log.
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
                LarderIssue(.damaged, "Part of the header of \(path) is not as it was written; nothing is lost by it.")
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
        if !statement.isCurrent { control.dismissOthers(from: subject, header.generation) }
        do {
            try removeTornTail(file, path, from: end.offset, to: tail.lastByte, issues)
        } catch {
            noteFailure(control, subject, statement, StateWord(generation: header.generation, end: end.offset), header)
            throw error
        }
        if statement.isCurrent {
            if !statement.isOfThisStart {
                page[LogFormat.Control.syncedWord] = 0
                page[LogFormat.Control.namedGeneration] = 0
            }
            let isNamed = page[LogFormat.Control.namedGeneration] == header.generation
            log.needsFolderSync.store(!isNamed, ordering: .releasing)
        } else {
            // Not the number of failures: it is how a repair tells those who still have the former file open.
            for field in [
                LogFormat.Control.failedGeneration, LogFormat.Control.syncedWord, LogFormat.Control.namedGeneration,
            ] {
                page[field] = 0
            }
        }
        page[LogFormat.Control.stateWord] = StateWord(generation: header.generation, end: end.offset).rawValue
        // Behind the word, as at the end of a compaction.
        page[LogFormat.Control.pendingEnd] = 0
        // Before that is asked which generation failed: of what fails in between the engine is told then.
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
            // Whoever opened it before, since the machine was started, may have died before the disk knew what it had removed.
            let mustSync = !statement.isOfThisStart && !owned.isNew && tail.lastByte == nil
            try rooms.alone(&opening) { try settle(hasFailed: hasFailed, mustSync: mustSync, &$0) }
        } catch {
            // For what failed must be known to the next opener.
            if !statement.isCurrent, control.hasLock { control.subject = subject }
            throw error
        }
        // Cut meanwhile, it may be a page that only this process sees.
        guard control.hasLock else { throw StoreError.lostControl(path, by: nil) }
        // Last, for it is what lets others in who find a page that nobody has begun.
        if !statement.isCurrent { control.subject = subject }
        return DeviceEngine(rooms)
    }

    /// Sees to it that the next opener writes everything to another file.
    ///
    /// What the kernel shows of this one may not be what is on the disk.
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

    /// What opening still owes.
    private static func settle(hasFailed: Bool, mustSync: Bool, _ shared: inout SharedTurn) throws {
        if hasFailed {
            // What the kernel shows of this file may not be what is on the disk: all of it is written to another one.
            try Compaction.rewrite(&shared)
        } else if mustSync || shared.writer.log.mark < shared.writer.log.end.offset {
            try Syncing.syncOrFail(&shared.writer) { try Syncing.syncFile($0.log.log, &$0) }
            // A compaction that is about to end elsewhere must not lose it.
            shared.page?.noteConfirmed(shared.writer.word, generation: shared.writer.log.log.generation)
            try Mark.writeIfThereIsRoom(shared.writer.log.end.offset, &shared)
            shared.syncs.note(0)
        } else {
            // The process that gave the file its name may have died before the disk confirmed that.
            try Syncing.syncOrFail(&shared.writer) { try Syncing.syncName(of: $0.log.log, &$0) }
        }
        let path = shared.place.path
        do {
            try shared.place.environment.fileSystem.removeStaleNewFile(for: path)
        } catch {
            shared.observers.issues.report(
                LarderIssue(
                    .degraded,
                    "What a compaction that was cut off left, \(path)\(LogFormat.newSuffix), can't be removed; nothing is lost, it takes room: remove it.",
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
            // Made under another name, so that nobody ever meets half a header; its lock, which nobody asks for under its own, may stay.
            let file = try fileSystem.createNewFile(for: path)
            do {
                try file.write(LogHeader.new().block, at: 0)
                try file.reserve(LogFormat.headerSize + LogFormat.smallestReservation + LogFormat.reserve)
                try file.synchronize(.everything)
                try fileSystem.putNewFile(file, at: path)
            } catch {
                // Should it stay, whoever creates the store makes it anew.
                try? fileSystem.removeNewFile(file, for: path)
                // A process with another control file may have made the store meanwhile, and committed to it.
                if let error = error as? FileError, error.operation == .rename,
                    [.alreadyExists, .notFound, .busy].contains(error.code)
                {
                    continue
                }
                throw error
            }
            // The folder is synced before the store is used, as for every name that nobody is known to have confirmed.
            return (file, true)
        }
        throw StoreError.contestedLog(path)
    }

    /// What lies behind the last commit.
    private struct Tail {
        /// Where the last byte lies that is not zero.
        private(set) var lastByte: Int?
        private var end = 0

        mutating func look(at bytes: UnsafeRawBufferPointer, from offset: Int) {
            if let found = bytes.lastNonZero(in: 0..<bytes.count) { lastByte = offset + found }
            end = offset + bytes.count
        }

        /// Looks at what nobody has looked at yet.
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
                "The last commit to \(path) was cut off by a crash at offset \(start) and left out; all before it are there."
            )
        )
    }

}

extension FileSystem {
    /// What the control file keeps of the machine's start; zeros where that is not known.
    ///
    /// - Throws: ``FileError`` when too many files are open to tell.
    func bootBytes() throws -> [UInt8] {
        let text: String
        do {
            text = try bootIdentifier()
        } catch let error as FileError where error.isOfTooManyOpenFiles {
            throw error
        } catch {
            // Zeros count as no start of the machine's: what a control file says of the disk is then not relied on.
            text = ""
        }
        let bytes = Array(text.utf8.prefix(LogFormat.Control.bootSize))
        return bytes + [UInt8](repeating: 0, count: LogFormat.Control.bootSize - bytes.count)
    }
}
