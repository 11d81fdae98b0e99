import LarderCore
import LarderFiles
import Synchronization

/// Reading what other processes wrote.
///
/// See "Several processes" of `device-log-v1.md`.
enum Following {
    /// Reads what other processes wrote; for a reader.
    static func follow(_ entrance: inout Entrance) throws { try follow(&entrance) { _ in } }

    /// Reads what other processes wrote before the call, and then runs `body` on the index; for a reader.
    ///
    /// The index is looked at as it is then: others may have committed once more, and would each time that it is asked whether they have.
    /// It waits for a writer of this process, as long as that one waits for others.
    static func follow<Result>(
        _ entrance: inout Entrance,
        reading body: (borrowing Index) throws -> Result
    ) throws -> Result {
        // Of what it read before it failed, too.
        defer { Observers.deliver(&entrance) }
        do {
            return try entrance.write { writer in
                if let failure = writer.failure, failure.code == .damaged { throw failure }
                try follow(&writer)
                // Before another thread can follow the others as well: half way to another file the index is of neither.
                return try writer.look(body)
            }
        } catch {
            throw StoreError.device(error, entrance.place.path)
        }
    }

    /// Brings the index up to the shared state word.
    ///
    /// Needs the writer's lock only: bytes before a position that was published never change.
    static func follow(_ writer: inout WriterTurn) throws {
        let word = StateWord(rawValue: writer.stateWord.pointee.load(ordering: .acquiring))
        guard word != writer.word else { return }
        if writer.word == .lost, let failure = writer.failure { throw failure }
        if writer.page?.isLost == true { throw Failing.lose(&writer) }
        if word.isOf(generation: writer.log.log.generation) {
            if writer.page?.isReplaced(writer.log.log) == true { throw Failing.leave(&writer) }
            try readCommits(&writer, to: word.end)
            guard writer.log.end.offset >= word.end else {
                throw Failing.end(&writer, with: .unreadable(writer.place.path, at: writer.log.end.offset))
            }
            writer.change { index, _ in index.word = word }
        } else {
            try changeGeneration(&writer)
        }
    }

    /// Reads what others wrote, and finishes or erases what one that died began.
    @inline(never)
    static func catchUp(_ shared: inout SharedTurn, _ holderDied: Bool) throws {
        guard let page = shared.page else { return }
        if page.isLost { throw Failing.lose(&shared.writer) }
        if page.failures != shared.sharing.failuresAtOpening {
            if page.isReplaced(shared.writer.log.log) { throw Failing.leave(&shared.writer) }
            let failure = StoreError.poisoned(shared.place.path, by: nil)
            throw Failing.end(&shared.writer, with: failure, isUnconfirmed: true)
        }
        do {
            try follow(&shared.writer)
            let isSwitching = page.isSwitching
            if isSwitching { try finishSwitch(&shared, page) }
            // The file that it came to may be one that it must not write.
            if let failure = shared.writer.failure { throw failure }
            if !isSwitching, holderDied || page.pendingEnd != 0 {
                try finishForDeadWriter(&shared, page, holderDied)
            }
        } catch {
            // No other process will be told that a holder died.
            if holderDied { Failing.poison(&shared.writer, error) }
            throw StoreError.device(error, shared.place.path)
        }
    }

    /// Applies the frames from the log's end on, each a commit by another process.
    ///
    /// Goes on where it stopped if it is called again after it has thrown. `rest` gets what else was read with the last block.
    static func readCommits(
        _ writer: inout WriterTurn,
        to limit: Int,
        rest: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws {
        let isObserved = writer.observers.isObserved
        let (place, hash) = (writer.place, writer.view.hash)
        let (reader, start) = (writer.log.log.reader, writer.log.end)
        _ = try reader.frames(from: start, to: limit, rest: { bytes, _ in rest(bytes) }) { found in
            // Asked before the lock is acquired.
            let now = isObserved ? place.now : 0
            let change = try writer.change { index, _ in
                let change = try isObserved ? index.change(by: found, at: now, load: place.load) : nil
                try index.apply(found, hash: hash)
                return change
            }
            writer.log.end = found.end
            // Asked again: an observer may have come meanwhile, and what a dead writer began is shown to none before.
            if writer.observers.isObserved {
                if let change { Observers.publish(change, &writer) } else { Observers.publishMissed(1, &writer) }
            }
        }
        writer.log.noteReserved(writer.log.end.offset)
    }
}
