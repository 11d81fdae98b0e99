import LarderCore
import LarderFiles
import Synchronization

extension DeviceEngine {
    /// Waits until commits up to `number` are on the disk.
    func waitForDisk(_ number: UInt64) throws {
        try checkPoison()
        try syncs.wait(for: number) { [self] in try sync() }
    }

    /// The suspending form of ``waitForDisk(_:)-(_)``.
    func waitForDisk(_ number: UInt64) async throws {
        try checkPoison()
        try await syncs.wait(for: number) { [self] in try sync() }
    }

    /// Waits until the commit of that number, which was just made, is on the disk.
    ///
    /// - Throws: What says that it was made: whoever begins anew because of it would do it twice.
    func confirm(_ number: UInt64) throws {
        do { try waitForDisk(number) } catch { throw StoreError.unconfirmed(path, by: error) }
    }

    /// The suspending form of ``confirm(_:)-(_)``.
    func confirm(_ number: UInt64) async throws {
        do { try await waitForDisk(number) } catch { throw StoreError.unconfirmed(path, by: error) }
    }

    /// The number of the last commit by anybody.
    func currentNumber() throws -> UInt64 { try withCurrentMemory { $0.commits } }

    private func checkPoison() throws {
        try checkUsable()
        // Asked for first: commits of others hold the lock most of the time.
        if hasFailed.isSet, let failure = writer.withLock({ $0.failure }) { throw failure }
        if let control, control[LogFormat.Control.failures] != failuresAtOpening {
            throw StoreError.poisoned(path, by: nil)
        }
    }

    /// Asks the disk once, and says up to which commit it has confirmed.
    private func sync() throws -> UInt64 {
        while true {
            // Somebody who was not told may have failed since the caller asked: the disk is not asked once more then.
            try checkPoison()
            let (log, number, word) = memory.withLock { ($0.log, $0.commits, $0.word) }
            do {
                try syncFile(log)
            } catch {
                throw writer.withLock { failedSync(error, &$0) }
            }
            try checkContent()
            if try confirm(word, of: log) { return number }
        }
    }

    /// Notes for every process what the disk has confirmed, unless a compaction has put another file in the place of `log`
    /// meanwhile: what was confirmed then means nothing.
    ///
    /// Under the lock, so that a compaction that is about to do so knows what it must not lose.
    private func confirm(_ word: StateWord, of log: DeviceLog) throws -> Bool {
        guard let control else { return true }
        return try withBothLocks { writer in
            // That a switch was finished only now may be why the word is not of this file.
            guard writer.log === log, word.isOf(generation: log.generation) else { return false }
            control.noteConfirmed(word, generation: log.generation)
            return true
        }
    }

    /// Everything that was written to a log, and its name.
    func syncFile(_ log: DeviceLog) throws {
        try log.file.synchronize(.data)
        try syncName(of: log)
    }

    /// Makes sure, and notes for others, that the name of a log survives power loss.
    func syncName(of log: DeviceLog) throws {
        guard log.needsFolderSync.load(ordering: .acquiring) else { return }
        try environment.fileSystem.synchronizeDirectory(at: FilePath.folder(of: path))
        log.needsFolderSync.store(false, ordering: .releasing)
        control?[LogFormat.Control.namedGeneration] = log.generation
    }

    /// Makes sure that everything is on the disk and the header says so.
    func flushAndMark() throws {
        guard control != nil else { return }
        // What others wrote meanwhile is read by the way.
        defer { deliver() }
        try waitForDisk(currentNumber())
        try checkContent()
        try mark()
    }

    func flushAndMark() async throws {
        guard control != nil else { return }
        defer { deliver() }
        // Both wait for locks.
        let number = try await withBlockingWork { [self] in try currentNumber() }
        try await waitForDisk(number)
        try await withBlockingWork { [self] in
            try checkContent()
            try mark()
        }
    }

    /// States in the header what the disk has confirmed.
    ///
    /// It is carried to the disk by the next sync.
    private func mark() throws {
        guard let control else { return }
        let synced = StateWord(rawValue: control[LogFormat.Control.syncedWord])
        // The lock between processes is not taken for nothing.
        guard writer.withLock({ synced.isOf(generation: $0.log.generation) && synced.end > $0.mark }) else { return }
        try withBothLocks { writer in
            guard synced.isOf(generation: writer.log.generation) else { return }
            do {
                try writeMarkIfThereIsRoom(&writer, synced.end)
            } catch let error as StoreError where error.code == .newerFormat {
                // The disk has not failed, and who knows that feature goes on.
                writer.failure = error
                throw error
            } catch let error as StoreError where error.code == .damaged {
                throw noteChange(error, &writer)
            } catch {
                poison(&writer, error)
                throw StoreError.failedDevice(error, path)
            }
        }
    }

    /// Writes the header slot that holds the older mark; under the lock between processes.
    ///
    /// On a full disk it is left for another time: all is on the disk, the other slot is as it was, and only a process that has the store
    /// open can make room.
    func writeMarkIfThereIsRoom(_ writer: inout Writer, _ mark: Int) throws {
        // Another process may have written one since this one looked.
        var header = try LogHeader.read(from: writer.log.file, path).header
        guard header.isOf(writer.log) else { throw StoreError.changedLog(path, at: 0, "its header is another one") }
        try header.checkWriting(path)
        if header.syncedMark < mark {
            header.syncedMark = mark
            header.slotNumber &+= 1
            do {
                try writer.log.file.write(header.slot, at: header.slotOffset)
            } catch let error where StoreError.device(error, path).code == .diskFull {
                return
            }
        }
        writer.mark = header.syncedMark
    }

    /// What is done from time to time while a store is open: others' commits are read for observers, and what is not on the
    /// disk is synced, whoever wrote it.
    func maintain() {
        deliver()
        if isInItsProcess { watchIfObserved() }
        defer { passFailureOn() }
        guard let control, isInItsProcess, writer.withLock({ $0.failure == nil }) else { return }
        do {
            // Of what a sync or a compaction by this process read by the way nobody may have been told.
            defer { deliver() }
            let word = stateWord.pointee.load(ordering: .acquiring)
            let (known, log) = memory.withLock { ($0.word, $0.log) }
            if word != known.rawValue { try followOthers() }
            guard try !hasLostItsPlace(control, log) else { return }
            if control[LogFormat.Control.syncedWord] != word || writer.withLock({ $0.mark < $0.end.offset }) {
                try flushAndMark()
            } else {
                try checkContent()
            }
            compactWhatExpired()
        } catch {
            // Whoever closes the store meanwhile need not hear that it is closed; that its disk has failed nobody else may tell.
            let isOfClosing = (error as? StoreError)?.code == .closed || (error as? FileError)?.code == .closed
            if !isUsable, isOfClosing { return }
            issues.report(LarderIssue(.degraded, "\(path) could not be synced in time.", underlying: error))
        }
    }

    /// Whether it can serve one more instance.
    ///
    /// Looks at what nobody may have met with yet; an engine without its page lets go of the file, for which whoever opens the store
    /// anew waits.
    func isFit() -> Bool {
        guard isUsable, let control else { return false }
        defer { passFailureOn() }
        do {
            // Nobody is told here: whoever opens a store holds a lock of his own.
            if control.isLost { try writer.withLock { try follow(&$0) } }
            if hasFailed.isSet || control[LogFormat.Control.failures] != failuresAtOpening { return false }
            return try !hasLostItsPlace(control, memory.withLock { $0.log })
        } catch {
            return false
        }
    }

    /// The end of the engine: synced and marked, where that can still be done.
    func close() throws {
        guard beginClosing() else { return }
        defer { endClosing() }
        defer { passFailureOn() }
        guard control != nil, isInItsProcess, writer.withLock({ $0.failure == nil }) else { return }
        try flushAndMark()
    }
}

extension DeviceControl {
    /// Notes for every process that the disk has confirmed the log of that generation up to `word`; under the lock between processes.
    func noteConfirmed(_ word: StateWord, generation: UInt64) {
        let confirmed = StateWord(rawValue: self[LogFormat.Control.syncedWord])
        guard !confirmed.isOf(generation: generation) || confirmed.end < word.end else { return }
        self[LogFormat.Control.syncedWord] = word.rawValue
    }
}
