import Dispatch
import LarderCore
import LarderFiles
import Synchronization

// See "Compaction" of `device-log-v1.md`.
extension DeviceEngine {
    /// Why a compaction is made.
    enum CompactionReason {
        /// There is enough to gain.
        case due
        /// Nothing more may be written before.
        case inevitable
        /// The disk is full: anything helps.
        case reclaiming
        /// Somebody asked for it.
        case requested
    }

    /// Compacts on another thread, or here and now in a store that does nothing by itself.
    func compactWhenConvenient() {
        guard environment.isAutomatic else {
            compactOrReport(.due)
            return
        }
        guard !isMaintaining.exchange(true, ordering: .acquiringAndReleasing) else { return }
        DispatchQueue.global(qos: .utility).async { [self] in
            compactOrReport(.due)
            isMaintaining.store(false, ordering: .releasing)
        }
    }

    /// After a commit that made compaction due: keeps the promise about the size of the file when compaction on another
    /// thread does not keep up.
    @inline(never)
    func compactSoon(_ outcome: Outcome) {
        if LogFormat.isCompactionInevitable(end: outcome.end, live: outcome.live) {
            compactOrReport(.inevitable)
        } else {
            compactWhenConvenient()
        }
    }

    private func compactOrReport(_ reason: CompactionReason) {
        do {
            _ = try compact(reason)
        } catch {
            issues.report(
                LarderIssue(
                    .degraded,
                    "\(path) could not be compacted; nothing is lost, it goes on growing.",
                    underlying: error
                )
            )
        }
    }

    private func isCompactionPending(_ reason: CompactionReason) -> Bool {
        memory.withLock { memory in
            let (end, live) = (memory.word.end, memory.index.liveBytes)
            return switch reason {
            case .due: LogFormat.isCompactionDue(end: end, live: live)
            case .inevitable: LogFormat.isCompactionInevitable(end: end, live: live)
            case .reclaiming: end - LogFormat.headerSize > live + live / 4 + LogFormat.reserve
            case .requested: true
            }
        }
    }

    /// Makes a new file of what is current and puts it in the place of the old one.
    ///
    /// - Returns: Whether it did: not when there is too little to gain, or another process is doing it.
    func compact(_ reason: CompactionReason, progress: @Sendable (StoreProgress) -> Void = { _ in }) throws -> Bool {
        try checkUsable()
        guard control != nil else { throw StoreError.readOnlyLog(path) }
        do {
            // A process that another one left behind would find at the end that its copy is of a file of the past.
            if reason == .requested { try followOthers() }
            return try compacting.withLock { _ in
                guard isCompactionPending(reason), let file = try claimNewFile() else { return false }
                defer { try? file.unlock() }
                do {
                    return try compact(into: file, progress)
                } catch {
                    try? environment.fileSystem.remove(path + LogFormat.newSuffix)
                    throw error
                }
            }
        } catch {
            throw StoreError.device(error, path)
        }
    }

    /// The empty file to compact into, its lock held; `nil` when another process has it.
    private func claimNewFile() throws -> (any OpenFile)? {
        let newPath = path + LogFormat.newSuffix
        let file = try environment.fileSystem.open(
            newPath,
            FileOpenMode(isWritable: true, creation: .ifMissing, followsLinks: false)
        )
        // Whoever had the lock may have put the file in place of the log meanwhile: then it must not be touched.
        guard try file.lock(.exclusive, wait: false), try isStill(file, at: newPath) else { return nil }
        try file.truncate(to: 0)
        return file
    }

    private func compact(into file: any OpenFile, _ progress: @Sendable (StoreProgress) -> Void) throws -> Bool {
        let (log, start) = writer.withLock { ($0.log, $0.end) }
        var copy = LogCopy(to: file, log.nextHeader)
        var position = LogReader.Stop.beginning
        try copyEntries(
            of: log,
            &position,
            to: start.offset,
            into: &copy,
            includingRemovals: false,
            progress: { progress(StoreProgress(completed: $0, total: start.offset)) }
        )
        // What was committed meanwhile, until so little is left that nobody notices waiting for it.
        for _ in 0..<8 {
            let end = writer.withLock { $0.log === log ? $0.end.offset : nil }
            guard let end else { return try abandon() }
            if end - position.offset < LogFormat.reserve { break }
            try copyEntries(of: log, &position, to: end, into: &copy, includingRemovals: true)
        }
        try copy.writeOut()
        try file.synchronize(.data)
        let isDone = try writer.withLock { writer in
            try withProcessLock(&writer) { writer in
                guard writer.log === log else { return false }
                try copyEntries(of: log, &position, to: writer.end.offset, into: &copy, includingRemovals: true)
                try switchOver(to: &copy, &writer)
                return true
            }
        }
        guard isDone else { return try abandon() }
        try syncFolderAfterSwitch()
        return true
    }

    private func abandon() throws -> Bool {
        try environment.fileSystem.remove(path + LogFormat.newSuffix)
        return false
    }

    /// Copies those entries from `position` to `limit` that are still current.
    private func copyEntries(
        of log: DeviceLog,
        _ position: inout LogReader.Stop,
        to limit: Int,
        into copy: inout LogCopy,
        includingRemovals: Bool,
        preparing: Bool = true,
        progress: (Int) -> Void = { _ in }
    ) throws {
        let stop = try log.reader.frames(from: position, to: limit, progress: progress) { found in
            try memory.withLock { memory in
                try found.forEachEntry { entry, offset in
                    if entry.kind == .removed {
                        if includingRemovals { _ = try copy.add(found.bytes.slice(entry.bytes)) }
                        return
                    }
                    guard
                        let number = memory.index.find(found.bytes.slice(entry.key)),
                        memory.index.position(number) == offset
                    else { return }
                    let place = try copy.add(found.bytes.slice(entry.bytes))
                    if preparing { memory.index.prepare(number, at: place) }
                }
            }
            // A frame holds a key at most once, and later commits may repeat one.
            if includingRemovals { try copy.endFrame() }
        }
        guard stop.offset == limit else {
            throw StoreError.damagedLog(path, at: stop.offset, "a commit is not as it was written")
        }
        position = stop
    }

    /// Puts the finished copy in the place of the log, under all locks.
    private func switchOver(to copy: inout LogCopy, _ writer: inout Writer) throws {
        guard let control else { throw StoreError.readOnlyLog(path) }
        let live = memory.withLock { $0.index.liveBytes }
        try copy.finish(reserving: live)
        let log = try DeviceLog(file: copy.file, header: copy.header, needsFolderSync: true)
        let size = try copy.file.information().size
        try environment.fileSystem.rename(path + LogFormat.newSuffix, to: path)
        let word = StateWord(generation: log.generation, end: copy.end.offset)
        writer.log = log
        writer.end = copy.end
        writer.reservedEnd = size
        writer.mark = copy.end.offset
        writer.word = word
        control[LogFormat.Control.inodeField] = log.inode
        control[LogFormat.Control.deviceField] = log.device
        memory.withLock { memory in
            memory.index.turnOver()
            memory.log = log
            memory.word = word
            stateWord.pointee.store(word.rawValue, ordering: .releasing)
        }
    }

    private func syncFolderAfterSwitch() throws {
        do {
            try syncName(of: memory.withLock { $0.log })
        } catch {
            writer.withLock { poison(&$0, error) }
            throw error
        }
    }

    /// Writes everything to a new generation at once, while nobody else can do anything.
    func rewrite(_ writer: inout Writer) throws {
        guard let file = try claimNewFile() else { throw StoreError.busyLog(path, holder: 0) }
        defer { try? file.unlock() }
        var copy = LogCopy(to: file, writer.log.nextHeader)
        var position = LogReader.Stop.beginning
        try copyEntries(of: writer.log, &position, to: writer.end.offset, into: &copy, includingRemovals: false)
        try switchOver(to: &copy, &writer)
        try syncName(of: writer.log)
        syncs.note(0)
    }

    // MARK: Backup

    /// Writes a store that holds what is current now to `destination`.
    func backup(to destination: String, progress: @Sendable (StoreProgress) -> Void = { _ in }) throws {
        try checkUsable()
        let fileSystem = environment.fileSystem
        let temporary = destination + LogFormat.newSuffix
        do {
            try followOthers()
            try compacting.withLock { _ in
                guard try fileSystem.information(at: destination, followingLinks: false) == nil else {
                    throw FileError(.alreadyExists, .write, destination)
                }
                let file = try fileSystem.open(
                    temporary,
                    FileOpenMode(isWritable: true, creation: .always, followsLinks: false)
                )
                do {
                    try backup(into: file, progress)
                    try fileSystem.rename(temporary, to: destination)
                } catch {
                    try? fileSystem.remove(temporary)
                    throw error
                }
                try fileSystem.synchronizeDirectory(at: FilePath.folder(of: destination))
            }
        } catch {
            throw StoreError.device(error, destination)
        }
    }

    private func backup(into file: any OpenFile, _ progress: @Sendable (StoreProgress) -> Void) throws {
        // Another process may compact while the copy is made; then what was copied does not fit what comes.
        for _ in 0..<100 {
            let (log, start) = writer.withLock { ($0.log, $0.end) }
            try file.truncate(to: 0)
            var copy = LogCopy(to: file, .new())
            var position = LogReader.Stop.beginning
            try copyEntries(
                of: log,
                &position,
                to: start.offset,
                into: &copy,
                includingRemovals: false,
                preparing: false,
                progress: { progress(StoreProgress(completed: $0, total: start.offset)) }
            )
            let isWhole = try writer.withLock { writer in
                guard writer.log === log else { return false }
                try copyEntries(
                    of: log,
                    &position,
                    to: writer.end.offset,
                    into: &copy,
                    includingRemovals: true,
                    preparing: false
                )
                return true
            }
            if isWhole { return try copy.finish(reserving: 0) }
        }
        throw StoreError.busyLog(path, holder: 0)
    }
}

extension DeviceLog {
    /// The header of the next generation of this log.
    var nextHeader: LogHeader {
        LogHeader(
            fileIdentifier: fileIdentifier,
            generation: generation &+ 1,
            slotNumber: 1,
            snapshotEnd: LogFormat.headerSize,
            syncedMark: LogFormat.headerSize
        )
    }
}

extension LogHeader {
    /// The header of a new store.
    static func new() -> LogHeader {
        var generator = SystemRandomNumberGenerator()
        var identifier: [UInt8] = []
        identifier.append(littleEndian: generator.next())
        identifier.append(littleEndian: generator.next())
        return LogHeader(
            fileIdentifier: identifier,
            generation: 1,
            slotNumber: 1,
            snapshotEnd: LogFormat.headerSize,
            syncedMark: LogFormat.headerSize
        )
    }
}
