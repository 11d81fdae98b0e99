import LarderCore
import LarderFiles
import Synchronization

// Lock between processes, and what others wrote. See "Several processes" of `device-log-v1.md`.
extension DeviceEngine {
    /// Runs `body` while nobody else writes, in this process or another, with everything read that others wrote before.
    @inline(__always)
    func withBothLocks<Result: Sendable>(_ body: (inout Writer) throws -> Result) throws -> Result {
        let vainWaits = vainWaits
        return try writer.withLock { writer in try withProcessLock(&writer, since: vainWaits, body) }
    }

    /// The same for whoever holds the lock of `writer`; `vainWaits` is what ``vainWaits`` was before it was waited for.
    @inline(__always)
    private func withProcessLock<Result>(
        _ writer: inout Writer,
        since vainWaits: Int,
        _ body: (inout Writer) throws -> Result
    ) throws -> Result {
        // Never bound to a name: that would count its references, twice for each commit.
        guard control != nil else { throw StoreError.readOnlyLog(path) }
        // Asked again under the lock of this process: it may have been closed while the caller waited.
        try checkUsable()
        if writer.failure != nil { try throwFailure(writer) }
        let holderDied = control?.tryLock() == true ? false : try waitForProcessLock(since: vainWaits)
        defer { if control?.tryUnlock() == false { unlock(&writer) } }
        if holderDied || control?.isQuiet(failuresAtOpening, writer.word) == false {
            try catchUp(&writer, holderDied)
        }
        return try body(&writer)
    }

    /// ``withBothLocks(_:)`` for whoever must not wait.
    ///
    /// - Returns: `nil` without running `body` if anybody has one of the locks, or another process has written.
    func withBothLocksIfFree<Result: Sendable>(_ body: (inout Writer) throws -> Result) throws -> Result? {
        let result: Result?? = try writer.withLockIfAvailable { writer -> Result? in
            guard control != nil else { throw StoreError.readOnlyLog(path) }
            try checkUsable()
            if writer.failure != nil { try throwFailure(writer) }
            guard control?.tryLock() == true else { return nil }
            defer { if control?.tryUnlock() == false { unlock(&writer) } }
            guard control?.isQuiet(failuresAtOpening, writer.word) == true else { return nil }
            return try body(&writer)
        }
        return result ?? nil
    }

    /// How often a thread has waited for the lock between processes in vain.
    @inline(__always)
    private var vainWaits: Int { vainWaitCount.load(ordering: .acquiring) }

    /// Waits as long as the environment allows, or hardly at all where another thread has waited for so long in vain while this one
    /// waited for it: else the last of many threads would wait for as many times as long.
    @inline(never)
    private func waitForProcessLock(since vainWaits: Int) throws -> Bool {
        guard let control else { throw StoreError.readOnlyLog(path) }
        guard vainWaits == self.vainWaits else {
            // Time enough for one who has it only now.
            return try control.waitForLock(within: environment.lockLimit / 100, environment.time, path)
        }
        do {
            return try control.waitForLock(within: environment.lockLimit, environment.time, path)
        } catch let error as StoreError where error.code == .busy {
            vainWaitCount.wrappingAdd(1, ordering: .releasing)
            throw error
        }
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
            if isReplaced(writer.log) { throw leave(&writer) }
            let failure = StoreError.poisoned(path, by: nil)
            writer.unconfirmed = writer.log.generation
            writer.failure = failure
            throw failure
        }
        do {
            try follow(&writer)
            let isSwitching = control[LogFormat.Control.pendingEnd] == LogFormat.Control.pendingSwitch
            if isSwitching { try finishSwitch(&writer, control) }
            // The file that it came to may be one that it must not write.
            try throwFailure(writer)
            if !isSwitching, holderDied || control[LogFormat.Control.pendingEnd] != 0 {
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
    func followOthers() throws { try followOthers { _ in } }

    /// Reads what other processes wrote before the call, and then runs `body` on memory; for a reader.
    ///
    /// Memory is looked at as it is then: others may have committed once more, and would each time that it is asked whether they have.
    /// It waits for a writer of this process, as long as that one waits for others.
    func followOthers<Result: Sendable>(reading body: (borrowing Memory) throws -> Result) throws -> Result {
        // Of what it read before it failed, too.
        defer { deliver() }
        do {
            return try writer.withLock { writer in
                if let failure = writer.failure, failure.code == .damaged { throw failure }
                try follow(&writer)
                // Before another thread can follow the others as well: half way to another file memory is of neither.
                return try memory.withLock { try body($0) }
            }
        } catch {
            throw StoreError.device(error, path)
        }
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
            if isReplaced(writer.log) { throw leave(&writer) }
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
            // Asked before the lock is taken.
            let now = isObserved ? now : 0
            let change = try memory.withLock { memory in
                let change = try isObserved ? memory.change(by: found, at: now, load: load) : nil
                try memory.apply(found, hash: hash)
                memory.commits += 1
                memory.lastFrame = found.range
                return change
            }
            writer.end = found.end
            // Asked again: somebody may have come meanwhile, and what a dead writer began is shown to nobody before.
            if self.isObserved { if let change { publish(change) } else { publishMissed(1) } }
        }
        writer.reservedEnd = max(writer.reservedEnd, writer.end.offset)
    }

    /// Goes over to the file that compaction in another process has put in place.
    private func changeGeneration(_ writer: inout Writer) throws {
        // All commits of this generation were made before the next one began: what is in the old file comes first.
        let old = writer.log
        var isWhole = true
        try readCommits(&writer, to: old.file.information().size) { rest in
            isWhole = rest.isZero
        }
        for attempt in 0..<200 {
            let word = StateWord(rawValue: stateWord.pointee.load(ordering: .acquiring))
            let file = try openFollowing(&writer)
            let header = try LogHeader.read(from: file, path).header
            guard header.fileIdentifier == old.fileIdentifier else { throw leave(&writer) }
            // Between the two looks the file may have been compacted once more; its word follows at once, unless who did has died.
            guard word.isOf(generation: header.generation) || isBeingSwitched(from: word, to: header.generation) else {
                if attempt > 10 { CurrentProcess.sleep(for: .milliseconds(5)) }
                continue
            }
            var owner: LogOwnerLock?
            guard try own(file, &writer, &owner) else { continue }
            let log = try DeviceLog(file: file, header: header, needsFolderSync: true, owner: owner)
            let hasMissed = !isWhole || log.generation != old.generation &+ 1
            try load(log, header, &writer, to: word, hasMissed: hasMissed)
            return
        }
        throw StoreError.closedLog(path, "was replaced by another file")
    }

    /// Opens what has the name of the log by now.
    private func openFollowing(_ writer: inout Writer) throws -> any OpenFile {
        do {
            return try environment.fileSystem.open(path, .writing)
        } catch let error as FileError where error.code == .notFound {
            throw notInPlace(&writer)
        }
    }

    /// Whether the file of `generation` was put in the place of the one of `word`, and nobody has said so yet: then it holds what that
    /// word stands for.
    private func isBeingSwitched(from word: StateWord, to generation: UInt64) -> Bool {
        // In this order: while a switch is pending nothing is committed.
        word.isOf(generation: generation &- 1)
            && control?[LogFormat.Control.pendingEnd] == LogFormat.Control.pendingSwitch
            && stateWord.pointee.load(ordering: .acquiring) == word.rawValue
    }

    /// Goes over to `log`: in one step to what it held when it took the place of the old one, then commit by commit.
    ///
    /// `word` may still be of the one before: then there are no commits.
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
        let former = writer.log
        let isStated = word.isOf(generation: log.generation)
        let limit = try isStated ? word.end : log.file.information().size
        // What was committed while the snapshot was made: each of these commits was read in the old file, or is missed.
        let copied = try log.reader.copiedFrames(from: snapshot, to: limit) { try index.apply($0, hash: hash) }
        writer.begin(log, at: copied, mark: header.syncedMark, reserved: copied.offset)
        memory.withLock { memory in
            memory.replaceIndex(with: &index)
            memory.log = log
            (memory.lastFrame, memory.checkedFrame) = (0..<0, 0..<0)
            // Commits that this process never saw one by one: what was synced before does not cover them.
            if hasMissed { memory.commits += 1 }
        }
        former.owner?.release()
        if hasMissed { publishMissed(1) }
        do { try header.checkWriting(path) } catch let error as StoreError { writer.failure = error }
        if isStated { try readCommits(&writer, to: word.end) }
        guard !isStated || writer.end.offset >= word.end else {
            throw StoreError.damagedLog(path, at: writer.end.offset, "what another process wrote can't be read back")
        }
        writer.note(word, in: memory)
    }

    /// A compaction whose process died while it put its file in the place of the log: it did, or it did not.
    private func finishSwitch(_ writer: inout Writer, _ control: DeviceControl) throws {
        let file = try openFollowing(&writer)
        if try file.information().inode != writer.log.inode {
            let header = try LogHeader.read(from: file, path).header
            guard
                header.fileIdentifier == writer.log.fileIdentifier,
                header.generation == writer.log.generation &+ 1
            else { throw StoreError.closedLog(path, "was replaced by another file") }
            var owner: LogOwnerLock?
            guard try own(file, &writer, &owner) else {
                throw StoreError.closedLog(path, "was replaced by another file")
            }
            let log = try DeviceLog(file: file, header: header, needsFolderSync: true, owner: owner)
            // Every commit was made before and copied: what it holds is what is in memory.
            try load(log, header, &writer, to: writer.word, hasMissed: false)
        }
        if !writer.word.isOf(generation: writer.log.generation) {
            control[LogFormat.Control.inodeField] = writer.log.inode
            control[LogFormat.Control.deviceField] = writer.log.device
            let word = StateWord(generation: writer.log.generation, end: writer.end.offset)
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
        guard size >= writer.end.offset else {
            throw StoreError.damagedLog(path, at: size, "it was cut off while the store was open")
        }
        // A death that is certain leaves nothing to rely on: all that is reserved is looked at.
        let limit = holderDied ? size : min(size, max(pending, writer.end.offset))
        try readCommits(&writer, to: limit)
        let word = StateWord(generation: writer.log.generation, end: writer.end.offset)
        writer.note(word, in: memory)
        stateWord.pointee.store(word.rawValue, ordering: .releasing)
        do {
            try wipe(writer.log.file, writer.end.offset..<limit)
        } catch {
            // Whoever tries again would find zeros, though the disk may have none.
            poison(&writer, error)
            throw error
        }
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

    /// Whether processes share another file of the same generation as `log` now.
    func isReplaced(_ log: DeviceLog) -> Bool {
        guard let control else { return false }
        let word = StateWord(rawValue: stateWord.pointee.load(ordering: .acquiring))
        guard
            word.isOf(generation: log.generation),
            control[LogFormat.Control.inodeField] != log.inode || control[LogFormat.Control.deviceField] != log.device
        else { return false }
        // Looked at in this order: a switch is stated to be pending before the inode is, and withdrawn after the word.
        return control[LogFormat.Control.pendingEnd] != LogFormat.Control.pendingSwitch
            && stateWord.pointee.load(ordering: .acquiring) == word.rawValue
    }

    /// Notes for good that processes share another file now.
    @inline(never)
    func leave(_ writer: inout Writer) -> StoreError {
        let failure = StoreError.closedLog(path, "was repaired, or replaced by another file, while it was open")
        writer.failure = failure
        writer.word = .lost
        // From here on every read comes by `follow`: what that file's words say means nothing here.
        memory.withLock { $0.word = .lost }
        publishMissed(1)
        return failure
    }

    /// What a sync of the log or its folder that failed means: nothing more is written by any process, for the disk must not be asked
    /// once more; unless it was not asked at all.
    func failedSync(_ error: any Error, _ writer: inout Writer) -> StoreError {
        if let error = error as? FileError, error.operation != .synchronize { return .device(error, path) }
        poison(&writer, error)
        return .failedDevice(error, path)
    }

    /// Notes, here and for all processes, that the disk has failed under the store.
    func poison(_ writer: inout Writer, _ error: any Error) {
        if writer.failure == nil {
            writer.unconfirmed = writer.log.generation
            writer.failure = .poisoned(path, by: error)
        }
        guard let control else { return }
        control.noteFailure(of: writer.log.generation)
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
    mutating func note(_ word: StateWord, in memory: borrowing Lock<DeviceEngine.Memory>) {
        self.word = word
        live = memory.withLock { memory in
            memory.word = word
            return memory.index.liveBytes
        }
    }
}

extension DeviceEngine.Memory {
    mutating func apply(_ found: FoundFrame, hash: KeyHash) throws { try index.apply(found, hash: hash) }

    /// What observers are told of a frame that another process wrote, before it is applied; `nil` when a value that it replaces can't be
    /// read any more, which must not keep anybody from reading others.
    borrowing func change(
        by found: FoundFrame,
        at now: Int64,
        load: (DeviceLog.Value) throws -> StoredValue?
    ) throws -> StoreChange? {
        do {
            return try readableChange(by: found, at: now, load: load)
        } catch let error as StoreError where error.isOfUnreadableValue {
            return nil
        }
    }

    private borrowing func readableChange(
        by found: FoundFrame,
        at now: Int64,
        load: (DeviceLog.Value) throws -> StoredValue?
    ) throws -> StoreChange {
        var entries: [StoreChange.Entry] = []
        try found.forEachEntry { entry, _ in
            let key = found.bytes.slice(entry.key)
            guard !StoreKey.isReserved(key) else { return }
            var old: StoredValue?
            if let number = index.find(key) {
                let entry = index.entry(number)
                // What has ended is absent, as to whoever reads it.
                let hasEnded = entry.expiry <= now
                old = try hasEnded ? nil : entry.isInFile ? load(valueInFile(number)) : entry.value
            }
            let new = entry.kind == .removed ? nil : LogValue.decode(found.bytes.slice(entry.value))
            guard old != new else { return }
            entries.append(StoreChange.Entry(key: String(decoding: key, as: UTF8.self), old: old, new: new))
        }
        return StoreChange(entries: entries, origin: .anotherProcess)
    }
}
