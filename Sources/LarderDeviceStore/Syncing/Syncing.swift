import LarderCore
import LarderFiles
import Synchronization

/// Making commits durable: callers that wait at the same time share a sync.
enum Syncing {
    /// Waits until commits up to `number` are on the disk.
    static func waitForDisk(_ number: UInt64, _ entrance: inout Entrance) throws {
        try checkPoison(&entrance)
        let engine = entrance.engine
        try entrance.syncs.wait(for: number) { try engine.enter { try sync(&$0) } }
    }

    /// The suspending form of ``waitForDisk(_:_:)``.
    static func waitForDisk(_ number: UInt64, in engine: DeviceEngine) async throws {
        let syncs = try engine.enter { entrance in
            try checkPoison(&entrance)
            return entrance.syncs
        }
        try await syncs.wait(for: number) { try engine.enter { try sync(&$0) } }
    }

    /// Waits until the commit of that number, which was just made, is on the disk.
    ///
    /// - Throws: What says that it was made: a caller that begins anew because of it would do it twice.
    static func confirm(_ number: UInt64, _ entrance: inout Entrance) throws {
        do {
            try waitForDisk(number, &entrance)
        } catch {
            throw StoreError.unconfirmed(entrance.place.path, by: error)
        }
    }

    /// The suspending form of ``confirm(_:_:)``.
    static func confirm(_ number: UInt64, in engine: DeviceEngine) async throws {
        do {
            try await waitForDisk(number, in: engine)
        } catch {
            throw StoreError.unconfirmed(engine.path, by: error)
        }
    }

    /// Makes sure that everything is on the disk and the header says so.
    static func flushAndMark(_ entrance: inout Entrance) throws {
        guard entrance.page != nil else { return }
        // What others wrote meanwhile is read by the way.
        defer { Observers.deliver(&entrance) }
        try waitForDisk(Reading.currentNumber(&entrance), &entrance)
        try ContentCheck.run(&entrance)
        try Mark.write(&entrance)
    }

    /// The suspending form of ``flushAndMark(_:)``.
    static func flushAndMark(in engine: DeviceEngine) async throws {
        guard engine.enter({ $0.page != nil }) else { return }
        defer { engine.enter { Observers.deliver(&$0) } }
        // Both wait for locks.
        let number = try await withBlockingWork { try engine.enter { try Reading.currentNumber(&$0) } }
        try await waitForDisk(number, in: engine)
        try await withBlockingWork {
            try engine.enter { entrance in
                try ContentCheck.run(&entrance)
                try Mark.write(&entrance)
            }
        }
    }

    private static func checkPoison(_ entrance: inout Entrance) throws {
        try entrance.checkUsable()
        // Asked for first: commits of others hold the lock most of the time.
        if entrance.sharing.hasFailed.load(ordering: .acquiring), let failure = entrance.write({ $0.failure }) {
            throw failure
        }
        if let page = entrance.page, page.failures != entrance.sharing.failuresAtOpening {
            throw StoreError.poisoned(entrance.place.path, by: nil)
        }
    }

    /// Asks the disk once, and says up to which commit it has confirmed.
    private static func sync(_ entrance: inout Entrance) throws -> UInt64 {
        while true {
            // Another call that was not told may have failed since the caller asked: the disk is not asked once more then.
            try checkPoison(&entrance)
            let (log, number, word) = entrance.look { ($0.log, $0.commits, $0.word) }
            do {
                try syncFile(log, &entrance)
            } catch {
                throw entrance.write { Failing.failedSync(error, &$0) }
            }
            try ContentCheck.run(&entrance)
            if try confirm(word, of: log, &entrance) { return number }
        }
    }

    /// Notes for every process what the disk has confirmed, unless a compaction has put another file in the place of `log`
    /// meanwhile: what was confirmed then means nothing.
    ///
    /// While no process writes, so that a compaction that is about to do so knows what it must not lose.
    private static func confirm(_ word: StateWord, of log: DeviceLog, _ entrance: inout Entrance) throws -> Bool {
        guard let page = entrance.page else { return true }
        return try entrance.commit { shared in
            // That a switch was finished only now may be why the word is not of this file.
            guard shared.writer.log.log === log, word.isOf(generation: log.generation) else { return false }
            page.noteConfirmed(word, generation: log.generation)
            return true
        }
    }

    // MARK: The disk

    /// Syncs everything that was written to a log, and its name.
    static func syncFile(_ log: DeviceLog, _ turn: inout some Turn & ~Copyable) throws {
        try log.file.synchronize(.data)
        try syncName(of: log, &turn)
    }

    /// Makes sure, and notes for others, that the name of a log survives power loss.
    static func syncName(of log: DeviceLog, _ turn: inout some Turn & ~Copyable) throws {
        guard log.needsFolderSync.load(ordering: .acquiring) else { return }
        let place = turn.place
        try place.environment.fileSystem.synchronizeDirectory(at: FilePath.folder(of: place.path))
        log.needsFolderSync.store(false, ordering: .releasing)
        let page = turn.page
        page?[LogFormat.Control.namedGeneration] = log.generation
    }

    /// Runs `sync`, and has the next opener write everything to another file if the disk fails to confirm this one.
    static func syncOrFail(_ writer: inout WriterTurn, _ sync: (inout WriterTurn) throws -> Void) throws {
        do {
            try sync(&writer)
        } catch {
            throw Failing.failedSync(error, &writer)
        }
    }
}
