import LarderCore
import LarderFiles
import Synchronization

// The file that compaction in another process has put in the place of the log.
extension Following {
    /// Goes over to the file that is in place now.
    static func changeGeneration(_ writer: inout WriterTurn) throws {
        // All commits of this generation were made before the next one began: what is in the old file comes first.
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
            // Between the two looks the file may have been compacted once more; its word follows at once, unless who did has died.
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

    /// Opens what has the name of the log by now.
    static func openFollowing(_ writer: inout WriterTurn) throws -> any OpenFile {
        let place = writer.place
        do {
            return try place.environment.fileSystem.open(place.path, .writing)
        } catch let error as FileError where error.code == .notFound {
            throw Failing.notInPlace(&writer)
        }
    }

    /// Whether the file of `generation` was put in the place of the one of `word`, and no process has said so yet: then it holds what that
    /// word stands for.
    private static func isBeingSwitched(
        from word: StateWord,
        to generation: UInt64,
        _ writer: borrowing WriterTurn
    ) -> Bool {
        // In this order: while a switch is pending nothing is committed.
        word.isOf(generation: generation &- 1)
            && writer.page?.isSwitching == true
            && writer.stateWord.pointee.load(ordering: .acquiring) == word.rawValue
    }

    /// Goes over to `log`: in one step to what it held when it took the place of the old one, then commit by commit.
    ///
    /// `word` may still be of the one before: then there are no commits.
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
            throw StoreError.damagedLog(path, at: snapshot.offset, "what another process compacted can't be read")
        }
        let former = writer.log.log
        let isStated = word.isOf(generation: log.generation)
        let limit = try isStated ? word.end : log.file.information().size
        // What was committed while the snapshot was made: each of these commits was read in the old file, or is missed.
        let copied = try log.reader.copiedFrames(from: snapshot, to: limit) { try entries.apply($0, hash: hash) }
        writer.log.begin(log, at: copied, mark: header.syncedMark, reserved: copied.offset)
        writer.change { index, _ in
            index.replaceEntries(with: &entries)
            index.begin(log)
            // Commits that this process never saw one by one: what was synced before does not cover them.
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
    /// What another process committed, and this one does not find in the file.
    static func unreadable(_ path: String, at offset: Int) -> StoreError {
        .damagedLog(path, at: offset, "what another process wrote can't be read back")
    }
}
