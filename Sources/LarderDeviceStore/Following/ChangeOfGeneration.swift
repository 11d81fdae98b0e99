import LarderCore
import LarderFiles
import Synchronization

// Functions that switch to the file that replaced the log when another process compacted the store.
extension Following {
    /// Opens the file that replaced the log, and updates the index from it.
    static func changeGeneration(_ writer: inout WriterTurn) throws {
        // All commits in this generation precede those in the next one, so the rest of the old file is read first.
        let old = writer.log.log
        let path = writer.place.path
        var isWhole = true
        try readCommits(&writer, to: old.file.information().size) { rest in
            isWhole = rest.isZero
        }
        for attempt in 0..<200 {
            let word = StateWord(rawValue: writer.stateWord.pointee.load(ordering: .acquiring))
            let file = try openFollowing(&writer)
            let header = try LogHeader.read(from: file, path).header
            guard header.fileIdentifier == old.fileIdentifier else { throw Failing.leave(&writer) }
            // The file may have been compacted once more between the two reads. The compacting process publishes the new generation
            // immediately afterwards, unless it has died.
            guard
                word.isOf(generation: header.generation) || isBeingSwitched(from: word, to: header.generation, writer)
            else {
                if attempt > 10 { CurrentProcess.sleep(for: .milliseconds(5)) }
                continue
            }
            var owner: LogOwnerLock?
            guard try Ownership.own(file, &writer, &owner) else { continue }
            let log = try DeviceLog(file: file, header: header, needsFolderSync: true, owner: owner)
            let hasMissed = !isWhole || log.generation != old.generation &+ 1
            try load(log, header, &writer, to: word, hasMissed: hasMissed)
            return
        }
        throw StoreError.closedLog(path, "was replaced by another file")
    }

    /// Opens and returns the file that is now at the log's path.
    static func openFollowing(_ writer: inout WriterTurn) throws -> any OpenFile {
        let place = writer.place
        do {
            return try place.environment.fileSystem.open(place.path, .writing)
        } catch let error as FileError where error.code == .notFound {
            throw Failing.notInPlace(&writer)
        }
    }

    /// Returns whether another process is switching to the log file of `generation` but has not published that generation yet.
    ///
    /// Until then, the old and the new log file contain the same commits.
    private static func isBeingSwitched(
        from word: StateWord,
        to generation: UInt64,
        _ writer: borrowing WriterTurn
    ) -> Bool {
        // The comparison is exact because no commit happens while a switch is pending.
        word.isOf(generation: generation &- 1)
            && writer.page?.isSwitching == true
            && writer.stateWord.pointee.load(ordering: .acquiring) == word.rawValue
    }

    /// Switches the engine to `log`, a new generation of the store.
    ///
    /// Applies the log's snapshot in one step, and then all later commits one by one. If `word`, the published state of the store, still
    /// belongs to the previous generation, there are no later commits.
    static func load(
        _ log: DeviceLog,
        _ header: LogHeader,
        _ writer: inout WriterTurn,
        to word: StateWord,
        hasMissed: Bool
    ) throws {
        let (path, hash) = (writer.place.path, writer.view.hash)
        let memory = writer.look { $0.entries.memory }
        var entries = DeviceIndex(hash: hash, memory: memory)
        let snapshot = try log.reader.frames(from: .beginning, to: header.snapshotEnd) {
            try entries.apply($0, hash: hash)
        }
        guard snapshot.offset == header.snapshotEnd else {
            throw StoreError.damagedLog(path, at: snapshot.offset, "a snapshot by another process can't be read")
        }
        let former = writer.log.log
        let isStated = word.isOf(generation: log.generation)
        let limit = try isStated ? word.end : log.file.information().size
        // These commits were made during the compaction. Each was either read from the old file or is reported as missed.
        let copied = try log.reader.copiedFrames(from: snapshot, to: limit) { try entries.apply($0, hash: hash) }
        writer.log.begin(log, at: copied, mark: header.syncedMark, reserved: copied.offset)
        writer.change { index, _ in
            index.replaceEntries(with: &entries)
            index.begin(log)
            // This process did not read some commits one by one, so an earlier sync does not cover them.
            if hasMissed { index.commits += 1 }
        }
        former.owner?.release()
        if hasMissed { Observers.publishMissed(1, &writer) }
        do { try header.checkWriting(path) } catch let error as StoreError { _ = Failing.end(&writer, with: error) }
        if isStated { try readCommits(&writer, to: word.end) }
        guard !isStated || writer.log.end.offset >= word.end else {
            throw StoreError.unreadable(path, at: writer.log.end.offset)
        }
        writer.change { index, _ in index.word = word }
    }
}

extension StoreError {
    /// Returns the error for a commit by another process that can't be read from the file at `path`.
    static func unreadable(_ path: String, at offset: Int) -> StoreError {
        .damagedLog(path, at: offset, "a commit by another process can't be read")
    }
}
