import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that make commits durable.
///
/// Concurrent callers share a sync.
enum Syncing {
    /// Blocks the current thread until all commits up to `number` are synced.
    static func waitForDisk(_ number: UInt64, _ entrance: inout Entrance) throws {
        try checkPoison(&entrance)
        let engine = entrance.engine
        try entrance.syncs.wait(for: number) { try engine.enter { try sync(&$0) } }
    }

    /// Suspends until all commits up to `number` are synced.
    static func waitForDisk(_ number: UInt64, in engine: DeviceEngine) async throws {
        let syncs = try engine.enter { entrance in
            try checkPoison(&entrance)
            return entrance.syncs
        }
        try await syncs.wait(for: number) { try engine.enter { try sync(&$0) } }
    }

    /// Blocks the current thread until commit `number`, which the caller has just made, is synced.
    ///
    /// - Throws: `StoreError`, whose message says that the commit was made and must not be repeated.
    static func confirm(_ number: UInt64, _ entrance: inout Entrance) throws {
        let start = entrance.observers.isObserved ? entrance.observers.meters.start(entrance.place) : nil
        do {
            try waitForDisk(number, &entrance)
        } catch {
            throw StoreError.unconfirmed(entrance.place.path, by: error)
        }
        if let start { entrance.observers.meters.syncs.add(since: start, entrance.place) }
    }

    /// Suspends until commit `number`, which the caller has just made, is synced.
    static func confirm(_ number: UInt64, in engine: DeviceEngine) async throws {
        let start = engine.enter { $0.observers.isObserved ? $0.observers.meters.start($0.place) : nil }
        do {
            try await waitForDisk(number, in: engine)
        } catch {
            throw StoreError.unconfirmed(engine.path, by: error)
        }
        if let start { engine.enter { $0.observers.meters.syncs.add(since: start, $0.place) } }
    }

    /// Syncs all commits, and marks them as synced in the log's header.
    static func flushAndMark(_ entrance: inout Entrance) throws {
        guard entrance.page != nil else { return }
        // Deliver the commits made by other processes that were read in the meantime.
        defer { Observers.deliver(&entrance) }
        try waitForDisk(Reading.currentNumber(&entrance), &entrance)
        try ContentCheck.run(&entrance)
        try Mark.write(&entrance)
    }

    /// Suspends until all commits are synced and marked as synced in the log's header.
    static func flushAndMark(in engine: DeviceEngine) async throws {
        guard engine.enter({ $0.page != nil }) else { return }
        defer { engine.enter { Observers.deliver(&$0) } }
        // Determining the number may wait for a lock.
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
        // The flag is checked first, because commits hold the lock most of the time.
        if entrance.sharing.hasFailed.load(ordering: .acquiring), let failure = entrance.write({ $0.failure }) {
            throw failure
        }
        if let page = entrance.page, page.failures != entrance.sharing.failuresAtOpening {
            throw StoreError.poisoned(entrance.place.path, by: nil)
        }
    }

    /// Syncs the log, and returns the number of the last synced commit.
    ///
    /// If a compaction replaces the log during the sync, repeats the sync with the new log.
    private static func sync(_ entrance: inout Entrance) throws -> UInt64 {
        while true {
            // Another call may have failed in the meantime, and a failed sync must not be repeated.
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

    /// Records in the shared-memory control page that `log` is synced up to the commit that `word` describes.
    ///
    /// Returns `false` if a compaction has replaced `log`, which invalidates the sync.
    private static func confirm(_ word: StateWord, of log: DeviceLog, _ entrance: inout Entrance) throws -> Bool {
        guard let page = entrance.page else { return true }
        return try entrance.commit { shared in
            // The word may describe a different file because the log has just been replaced.
            guard shared.writer.log.log === log, word.isOf(generation: log.generation) else { return false }
            page.noteConfirmed(word, generation: log.generation)
            return true
        }
    }

    // MARK: The disk

    /// Syncs a log file to disk, and then its folder if the file's directory entry may not be durable.
    static func syncFile(_ log: DeviceLog, _ turn: inout some Turn & ~Copyable) throws {
        try log.file.synchronize(.data)
        try syncName(of: log, &turn)
    }

    /// Syncs the log file's folder if the file's directory entry may not be durable, and records the sync for other processes.
    static func syncName(of log: DeviceLog, _ turn: inout some Turn & ~Copyable) throws {
        guard log.needsFolderSync.load(ordering: .acquiring) else { return }
        let place = turn.place
        try place.environment.fileSystem.synchronizeDirectory(at: FilePath.folder(of: place.path))
        log.needsFolderSync.store(false, ordering: .releasing)
        let page = turn.page
        page?[LogFormat.Control.namedGeneration] = log.generation
    }

    /// Runs `sync`, and prevents further commits if syncing fails.
    ///
    /// After a failed sync, the next process that opens the store rewrites the log to a different file.
    static func syncOrFail(_ writer: inout WriterTurn, _ sync: (inout WriterTurn) throws -> Void) throws {
        do {
            try sync(&writer)
        } catch {
            throw Failing.failedSync(error, &writer)
        }
    }
}
