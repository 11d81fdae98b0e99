import LarderCore
import LarderFiles
import Synchronization

// Lock between processes, and what others wrote. See "Several processes" of `device-log-v1.md`.
extension DeviceEngine {
    /// Runs `body` while no other process writes, with everything read that others wrote before.
    @inline(__always)
    func withProcessLock<Result>(_ writer: inout Writer, _ body: (inout Writer) throws -> Result) throws -> Result {
        // Never bound to a name: that would count its references, twice for each commit.
        guard control != nil else { throw StoreError.readOnlyLog(path) }
        // Asked again under the lock of this process: it may have been closed while the caller waited.
        try checkUsable()
        if writer.failure != nil { try throwFailure(writer) }
        let holderDied = try control?.lock(environment, path) ?? false
        defer { if control?.tryUnlock() == false { unlock(&writer) } }
        if holderDied || control?.isQuiet(failuresAtOpening, writer.word) == false {
            try catchUp(&writer, holderDied)
        }
        return try body(&writer)
    }

    private func throwFailure(_ writer: borrowing Writer) throws {
        if let failure = writer.failure { throw failure }
    }

    /// Reads what others wrote, and finishes or wipes out what one that died began; under both locks.
    @inline(never)
    private func catchUp(_ writer: inout Writer, _ holderDied: Bool) throws {
        guard let control else { return }
        if control.isLost { throw lose(&writer) }
        if control[LogFormat.Control.failures] != failuresAtOpening {
            let failure = StoreError.poisoned(path, by: nil)
            writer.failure = failure
            throw failure
        }
        do {
            try follow(&writer)
            if control[LogFormat.Control.pendingEnd] == LogFormat.Control.pendingSwitch {
                try finishSwitch(&writer, control)
            } else if holderDied || control[LogFormat.Control.pendingEnd] != 0 {
                try finishForDeadWriter(&writer, control, holderDied)
            }
        } catch {
            // Nobody else will be told that a holder died.
            if holderDied { poison(&writer, error) }
            throw StoreError.device(error, path)
        }
    }

    @inline(never)
    private func unlock(_ writer: inout Writer) {
        do {
            try control?.unlock()
        } catch {
            if control?.isLost == true {
                // What the commit wrote counts: nobody else can write before this process has let go of the file.
                _ = lose(&writer)
                return
            }
            // Whoever can't let go must not write either; closing the file lets go for sure.
            poison(&writer, error)
            control?.close()
        }
    }

    /// Reads what other processes wrote; for a reader.
    func followOthers() throws {
        do {
            try writer.withLock { writer in
                if let failure = writer.failure, failure.code == .damaged { throw failure }
                try follow(&writer)
            }
        } catch {
            deliver()
            throw StoreError.device(error, path)
        }
        deliver()
    }

    /// Brings memory up to the shared state word.
    ///
    /// Needs the writer's lock only: bytes before a position that was published never change.
    func follow(_ writer: inout Writer) throws {
        let word = StateWord(rawValue: stateWord.pointee.load(ordering: .acquiring))
        guard word != writer.word else { return }
        if writer.word == .lost, let failure = writer.failure { throw failure }
        if control?.isLost == true { throw lose(&writer) }
        if word.isOf(generation: writer.log.generation) {
            try readCommits(&writer, to: word.end)
            guard writer.end.offset >= word.end else {
                let failure = StoreError.damagedLog(
                    path,
                    at: writer.end.offset,
                    "what another process wrote can't be read back"
                )
                writer.failure = failure
                throw failure
            }
            writer.note(word, in: memory)
        } else {
            try changeGeneration(&writer)
        }
    }

    /// Applies the frames from the writer's end on, each a commit by another process.
    ///
    /// Goes on where it stopped should it be called again after it has thrown. `rest` is told what else was read with the last block.
    private func readCommits(
        _ writer: inout Writer,
        to limit: Int,
        rest: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws {
        let isObserved = isObserved
        _ = try writer.log.reader.frames(from: writer.end, to: limit, rest: { bytes, _ in rest(bytes) }) { found in
            let change = try memory.withLock { memory in
                let change = try isObserved ? memory.change(by: found, load: load) : nil
                try memory.apply(found, hash: hash)
                memory.commits += 1
                return change
            }
            writer.end = found.end
            if isObserved { if let change { publish(change) } else { publishMissed(1) } }
        }
        writer.reservedEnd = max(writer.reservedEnd, writer.end.offset)
    }

    /// Goes over to the file that compaction in another process has put in place.
    private func changeGeneration(_ writer: inout Writer) throws {
        // All commits of this generation were made before the next one began: what is in the old file comes first.
        let old = writer.log
        var isWhole = true
        try readCommits(&writer, to: old.file.information().size) { rest in
            isWhole = rest.lastNonZero(in: 0..<rest.count) == nil
        }
        for attempt in 0..<200 {
            let word = StateWord(rawValue: stateWord.pointee.load(ordering: .acquiring))
            let file = try environment.fileSystem.open(path, .writing)
            let reading = try LogHeader.read(from: file, path)
            // Between the two looks the file may have been compacted once more; its word follows at once.
            guard word.isOf(generation: reading.header.generation) else {
                if attempt > 10 { CurrentProcess.sleep(for: .milliseconds(5)) }
                continue
            }
            guard reading.header.fileIdentifier == old.fileIdentifier else {
                throw StoreError.closedLog(path, "was replaced by another file")
            }
            let log = try DeviceLog(file: file, header: reading.header, needsFolderSync: true)
            let hasMissed = !isWhole || log.generation != old.generation &+ 1
            try load(log, reading.header, &writer, to: word, hasMissed: hasMissed)
            return
        }
        throw StoreError.closedLog(path, "was replaced by another file")
    }

    /// Goes over to `log`: in one step to what it held when it took the place of the old one, then commit by commit.
    private func load(
        _ log: DeviceLog,
        _ header: LogHeader,
        _ writer: inout Writer,
        to word: StateWord,
        hasMissed: Bool
    ) throws {
        var index = DeviceIndex(hash: hash, memory: indexMemory)
        let snapshot = try log.reader.frames(from: .beginning, to: header.snapshotEnd) {
            try index.apply($0, hash: hash)
        }
        guard snapshot.offset == header.snapshotEnd else {
            throw StoreError.damagedLog(path, at: snapshot.offset, "what another process compacted can't be read")
        }
        // What was committed while the snapshot was made: each of these commits was read in the old file, or is missed.
        let copied = try log.reader.copiedFrames(from: snapshot, to: word.end) { try index.apply($0, hash: hash) }
        writer.begin(log, at: copied, mark: header.syncedMark, reserved: copied.offset)
        memory.withLock { memory in
            memory.replaceIndex(with: &index)
            memory.log = log
            // Commits that this process never saw one by one: what was synced before does not cover them.
            if hasMissed { memory.commits += 1 }
        }
        if hasMissed { publishMissed(1) }
        try readCommits(&writer, to: word.end)
        guard writer.end.offset >= word.end else {
            throw StoreError.damagedLog(path, at: writer.end.offset, "what another process wrote can't be read back")
        }
        writer.note(word, in: memory)
    }

    /// A compaction whose process died while it put its file in the place of the log: it did, or it did not.
    private func finishSwitch(_ writer: inout Writer, _ control: DeviceControl) throws {
        let file = try environment.fileSystem.open(path, .writing)
        if try file.information().inode != writer.log.inode {
            let header = try LogHeader.read(from: file, path).header
            guard
                header.fileIdentifier == writer.log.fileIdentifier,
                header.generation == writer.log.generation &+ 1
            else { throw StoreError.closedLog(path, "was replaced by another file") }
            let log = try DeviceLog(file: file, header: header, needsFolderSync: true)
            // Every commit was made before and copied: what it holds is what is in memory.
            var index = DeviceIndex(hash: hash, memory: indexMemory)
            let end = try log.reader.frames(from: .beginning, to: file.information().size) {
                try index.apply($0, hash: hash)
            }
            guard end.offset >= header.snapshotEnd else {
                throw StoreError.damagedLog(path, at: end.offset, "what another process compacted can't be read")
            }
            writer.begin(log, at: end, mark: header.syncedMark, reserved: end.offset)
            control[LogFormat.Control.inodeField] = log.inode
            control[LogFormat.Control.deviceField] = log.device
            memory.withLock { memory in
                memory.replaceIndex(with: &index)
                memory.log = log
            }
            let word = StateWord(generation: log.generation, end: end.offset)
            writer.note(word, in: memory)
            stateWord.pointee.store(word.rawValue, ordering: .releasing)
        }
        control[LogFormat.Control.pendingEnd] = 0
    }

    /// What the holder of the lock began and did not publish, because it died.
    private func finishForDeadWriter(
        _ writer: inout Writer,
        _ control: DeviceControl,
        _ holderDied: Bool
    ) throws {
        let pending = Int(truncatingIfNeeded: control[LogFormat.Control.pendingEnd])
        let size = try writer.log.file.information().size
        // A death that is certain leaves nothing to rely on: all that is reserved is looked at.
        let limit = min(size, max(holderDied ? size : pending, writer.end.offset))
        try readCommits(&writer, to: limit)
        let word = StateWord(generation: writer.log.generation, end: writer.end.offset)
        writer.note(word, in: memory)
        stateWord.pointee.store(word.rawValue, ordering: .releasing)
        try wipe(writer.log.file, writer.end.offset..<limit)
        control[LogFormat.Control.pendingEnd] = 0
    }

    /// Overwrites with zeros what is not zero in `range`, and waits for the disk if anything was.
    func wipe(_ file: any OpenFile, _ range: Range<Int>) throws {
        guard !range.isEmpty else { return }
        let bytes = try file.read(at: range.lowerBound, count: range.count)
        let last = bytes.withUnsafeBytes { $0.lastNonZero(in: 0..<$0.count) }
        guard let last else { return }
        try file.write([UInt8](repeating: 0, count: last + 1), at: range.lowerBound)
        try file.synchronize(.data)
    }

    /// Notes for good that the page is gone in which processes meet, and lets go of the file, for which whoever opens the store
    /// anew waits.
    @inline(never)
    private func lose(_ writer: inout Writer) -> StoreError {
        if writer.word == .lost, let failure = writer.failure { return failure }
        var cause: (any Error)?
        do {
            // Nobody looks after what this process wrote within the last second any more.
            try syncFile(writer.log)
        } catch {
            cause = error
        }
        let failure = StoreError.lostControl(path, by: cause)
        writer.failure = failure
        writer.word = .lost
        // From here on every read comes by `follow`.
        memory.withLock { $0.word = .lost }
        control?.close()
        heldIssues.withLock { $0.append(LarderIssue(.degraded, failure.message, underlying: cause)) }
        publishMissed(1)
        return failure
    }

    /// Notes, here and for all processes, that the disk has failed under the store.
    func poison(_ writer: inout Writer, _ error: any Error) {
        if writer.failure == nil { writer.failure = .poisoned(path, by: error) }
        guard let control else { return }
        control[LogFormat.Control.failedGeneration] = writer.log.generation
        control.noteFailure()
    }
}

extension DeviceEngine.Writer {
    /// Goes over to another file.
    mutating func begin(_ log: DeviceLog, at end: LogReader.Stop, mark: Int, reserved: Int) {
        self.log = log
        self.end = end
        self.mark = mark
        reservedEnd = reserved
        allocatedEnd = 0
        tail = nil
    }

    /// Notes, here and in what is read, that memory reflects everything up to `word`.
    mutating func note(_ word: StateWord, in memory: borrowing Mutex<DeviceEngine.Memory>) {
        self.word = word
        live = memory.withLock { memory in
            memory.word = word
            return memory.index.liveBytes
        }
    }
}

extension DeviceEngine.Memory {
    mutating func apply(_ found: LogReader.Found, hash: KeyHash) throws { try index.apply(found, hash: hash) }

    /// What observers are told of a frame that another process wrote, before it is applied; `nil` when a value that it replaces is
    /// damaged, which must not keep anybody from reading others.
    borrowing func change(
        by found: LogReader.Found,
        load: (DeviceLog.Value) throws -> StoredValue?
    ) throws -> StoreChange? {
        do {
            return try readableChange(by: found, load: load)
        } catch let error as StoreError where error.code == .damaged {
            return nil
        }
    }

    private borrowing func readableChange(
        by found: LogReader.Found,
        load: (DeviceLog.Value) throws -> StoredValue?
    ) throws -> StoreChange {
        var entries: [StoreChange.Entry] = []
        try found.forEachEntry { entry, _ in
            let key = found.bytes.slice(entry.key)
            guard !StoreKey.isReserved(key) else { return }
            var old: StoredValue?
            if let number = index.find(key) {
                let entry = index.entry(number)
                old = entry.isInFile ? try load(valueInFile(number)) : entry.value
            }
            let new = entry.kind == .removed ? nil : LogValue.decode(found.bytes.slice(entry.value))
            guard old != new else { return }
            entries.append(StoreChange.Entry(key: String(decoding: key, as: UTF8.self), old: old, new: new))
        }
        return StoreChange(entries: entries, origin: .anotherProcess)
    }
}
