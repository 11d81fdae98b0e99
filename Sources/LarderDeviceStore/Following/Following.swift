import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that update the index with commits made by other processes.
///
/// See "Several processes" in `device-log-v1.md`.
enum Following {
    /// Updates the index with all commits that other processes made before the call.
    static func follow(_ entrance: inout Entrance) throws { try follow(&entrance) { _ in } }

    /// Updates the index with all commits that other processes made before the call, and then runs `body` on the index.
    ///
    /// Waits if a writer in this process is waiting for another process. `body` runs after a single update, even if other processes keep
    /// committing.
    static func follow<Result>(
        _ entrance: inout Entrance,
        reading body: (borrowing Index) throws -> Result
    ) throws -> Result {
        // Commits that were read before a failure are delivered too.
        defer { Observers.deliver(&entrance) }
        do {
            return try entrance.write { writer in
                if let failure = writer.failure, failure.code == .damaged { throw failure }
                try follow(&writer)
                // `body` runs under the writer's lock, because the index is inconsistent during a switch to another file.
                return try writer.look(body)
            }
        } catch {
            throw StoreError.device(error, entrance.place.path)
        }
    }

    /// Updates the index with all commits before the end offset that is published in shared memory.
    ///
    /// Only the writer's lock is needed, because bytes before a published position never change.
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

    /// Updates the index with commits made by other processes.
    ///
    /// If a process died while writing, also completes or erases its last commit.
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
            // This version of Larder may not be allowed to write the new file.
            if let failure = shared.writer.failure { throw failure }
            if !isSwitching, holderDied || page.pendingEnd != 0 {
                try finishForDeadWriter(&shared, page, holderDied)
            }
        } catch {
            // No other process will detect that the holder of the lock died, so the failure is recorded for all of them.
            if holderDied { Failing.poison(&shared.writer, error) }
            throw StoreError.device(error, shared.place.path)
        }
    }

    /// Applies all log frames before `limit` that the index does not reflect yet.
    ///
    /// Each frame is a commit made by another process. After an error, the next call continues where this call stopped. `rest` receives the
    /// bytes that were read after the last frame.
    static func readCommits(
        _ writer: inout WriterTurn,
        to limit: Int,
        rest: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws {
        let isObserved = writer.observers.isObserved
        let (place, hash) = (writer.place, writer.view.hash)
        let (reader, start) = (writer.log.log.reader, writer.log.end)
        _ = try reader.frames(from: start, to: limit, rest: { bytes, _ in rest(bytes) }) { found in
            // The clock is read before the lock is acquired.
            let now = isObserved ? place.now : 0
            let change = try writer.change { index, _ in
                let change = try isObserved ? index.change(by: found, at: now, load: place.load) : nil
                try index.apply(found, hash: hash)
                return change
            }
            writer.log.end = found.end
            // The check is repeated, because an observer may have been added during the read.
            if writer.observers.isObserved {
                if let change { Observers.publish(change, &writer) } else { Observers.publishMissed(1, &writer) }
            }
        }
        writer.log.noteReserved(writer.log.end.offset)
    }
}
