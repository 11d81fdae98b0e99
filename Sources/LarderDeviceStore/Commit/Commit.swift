import LarderCore
import LarderFiles
import Synchronization

/// Carrying out a commit: planned by ``Planner``, written here, in this order: the frame, the index, the shared state word.
enum Commit {
    /// What a commit came to.
    struct Outcome {
        /// The number of commits that must be synced for the state it left to be durable; `nil` if an expectation did
        /// not hold.
        var number: UInt64?
        /// Where the log ends, and what of it is current.
        var end: Int
        var live: Int
    }

    /// Carries out `batch`, buffered.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - expiry: When everything set by the batch expires, in milliseconds since 1970.
    ///   - isToBeSynced: Whether the caller waits for the disk afterwards.
    ///   - entrance: The call.
    /// - Returns: The number of commits that must be synced for the state it left to be durable, or `nil` if an expectation
    ///   did not hold.
    /// - Throws: ``StoreError``; then nothing was changed.
    static func run(
        _ batch: StoreBatch,
        until expiry: Int64? = nil,
        isToBeSynced: Bool = false,
        _ entrance: inout Entrance
    ) throws -> UInt64? {
        try entrance.checkUsable()
        // Else while the commit is planned, when nothing has been changed yet: once over all writes is enough.
        if !batch.expectations.isEmpty { try batch.validate() }
        guard entrance.page != nil else { throw StoreError.readOnlyLog(entrance.place.path) }
        return try settling(&entrance) { entrance in
            try entrance.commit { try write(batch, until: expiry, isToBeSynced: isToBeSynced, &$0) }
        }
    }

    /// Attempts a commit, once more after a compaction if the disk is full, and does what is to be done after it.
    @inline(__always)
    static func settling(
        _ entrance: inout Entrance,
        _ attempt: (inout Entrance) throws -> Outcome
    ) throws -> UInt64? {
        let outcome: Outcome
        do {
            outcome = try attempt(&entrance)
        } catch let error as StoreError where error.code == .diskFull {
            // Compaction gives room back, where there is something to give; that it can't is no news on a full disk.
            guard (try? Compaction.run(.reclaiming, &entrance)) == .done else { throw error }
            outcome = try attempt(&entrance)
        } catch {
            Observers.deliver(&entrance)
            throw error
        }
        settle(outcome, &entrance)
        return outcome.number
    }

    /// Does what is to be done after a commit.
    @inline(__always)
    static func settle(_ outcome: Outcome, _ entrance: inout Entrance) {
        if entrance.observers.isObserved { Observers.deliver(&entrance) }
        if LogFormat.isCompactionDue(end: outcome.end, live: outcome.live) {
            Compaction.runSoon(outcome, &entrance)
        }
    }

    /// What a commit of that number came to.
    @inline(__always)
    static func outcome(_ number: UInt64?, _ shared: borrowing SharedTurn) -> Outcome {
        Outcome(number: number, end: shared.writer.log.end.offset, live: shared.writer.liveBytes)
    }

    // MARK: While no process writes

    static func write(
        _ batch: StoreBatch,
        until expiry: Int64?,
        isToBeSynced: Bool,
        _ shared: inout SharedTurn
    ) throws -> Outcome {
        // A page that was synced can't be stored to through the map before the system has made it writable again.
        shared.writer.log.isWrittenByCall = isToBeSynced
        defer { shared.writer.log.isWrittenByCall = false }
        let number = try write(batch, until: expiry, &shared)
        return outcome(number, shared)
    }

    private static func write(_ batch: StoreBatch, until expiry: Int64?, _ shared: inout SharedTurn) throws -> UInt64? {
        guard try Planner.fulfils(batch, &shared) else { return nil }
        // What observers are told may be large: it is not kept for the next commit.
        defer { shared.writer.log.plan.dropChanges() }
        try Planner.plan(batch, until: expiry, &shared)
        guard shared.writer.log.plan.items.count > 0 else { return shared.look { $0.commits } }
        try shared.writer.log.checkLength(shared.place.path)
        let replacesOnly = shared.writer.log.plan.replacesOnly
        let number = try writeFrame(&shared, replacesOnly: replacesOnly) { index, log, start in
            apply(batch.writes, until: expiry, &index.entries, log, start)
        }
        if shared.observers.isObserved {
            // Asked again: an observer may have come since it was planned, and may have read what was there before.
            if shared.writer.log.plan.knowsChanges {
                let change = StoreChange(entries: shared.writer.log.plan.changes, origin: batch.origin)
                Observers.publish(change, &shared.writer)
            } else {
                Observers.publishMissed(1, &shared.writer)
            }
        }
        return number
    }

    private static func apply(
        _ writes: StoreBatch.Writes,
        until expiry: Int64?,
        _ entries: inout DeviceIndex,
        _ log: borrowing LogWriter,
        _ start: Int
    ) {
        for index in 0..<log.plan.items.count {
            let item = log.plan.items[index]
            let position = start + Int(item.offset)
            if item.replacesByInteger {
                entries.replace(
                    Int(item.number),
                    with: IndexValue(item.integer),
                    length: Int(item.size),
                    at: position
                )
            } else {
                let key = log.builder.bytes.slice(item.key)
                apply(item, writes.value(at: Int(item.write)), key, until: expiry, &entries, position)
            }
        }
    }

    @inline(never)
    private static func apply(
        _ item: CommitPlan.Item,
        _ value: StoredValue?,
        _ key: UnsafeRawBufferPointer,
        until expiry: Int64?,
        _ entries: inout DeviceIndex,
        _ position: Int
    ) {
        guard let value else { return entries.remove(key, hashed: item.hash) }
        let size = Int(item.size)
        let entry = DeviceIndex.Entry(
            value: size > LogFormat.largestValueInMemory ? .null : value.withOwnBytes,
            length: size,
            checksum: item.checksum,
            expiry: expiry
        )
        if item.number >= 0 {
            entries.replace(Int(item.number), with: entry, at: position)
        } else {
            entries.set(entry, for: key, hashed: item.hash, at: position)
        }
    }

    /// Writes the frame that was built, applies it to the index, and makes it count for every process.
    ///
    /// Nothing can fail once the frame is written.
    @inline(__always)
    static func writeFrame(
        _ shared: inout SharedTurn,
        replacesOnly: Bool,
        _ apply: (inout Index, borrowing LogWriter, _ start: Int) -> Void
    ) throws -> UInt64 {
        shared.writer.log.builder.seal(
            seed: shared.writer.log.log.seed,
            sequence: shared.writer.log.end.sequence
        )
        let (page, stateWord) = (shared.page, shared.stateWord)
        let start = shared.writer.log.end.offset
        let end = shared.writer.log.frameEnd
        if !shared.writer.log.hasRoom { try makeRoom(&shared, replacesOnly) }
        page?.pendingEnd = UInt64(end)
        try append(&shared)
        let word = StateWord(generation: shared.writer.log.log.generation, end: end)
        let number = shared.writer.change { index, log in
            apply(&index, log, start)
            index.commits += 1
            index.lastFrame = start..<end
            index.word = word
            stateWord.pointee.store(word.rawValue, ordering: .releasing)
            return index.commits
        }
        page?.pendingEnd = 0
        shared.writer.log.advance()
        return number
    }

    /// Removes those entries that still lie where they were found, in one commit.
    static func remove(_ expired: ArraySlice<ExpiredEntry>, _ shared: inout SharedTurn) throws {
        shared.writer.log.builder.begin()
        var removed: [[UInt8]] = []
        for entry in expired {
            entry.key.withUnsafeBytes { bytes in
                let position = shared.look { index in
                    index.entries.find(bytes).map { index.entries.position($0) }
                }
                guard position == entry.position else { return }
                shared.writer.log.builder.remove(bytes)
                removed.append(entry.key)
            }
        }
        guard !removed.isEmpty else { return }
        let hash = shared.view.hash
        _ = try writeFrame(&shared, replacesOnly: true) { index, _, _ in
            for key in removed { key.withUnsafeBytes { index.entries.remove($0, hashed: hash($0)) } }
        }
    }

    // MARK: The disk

    /// Reserves room for the frame, or finds it in what is reserved.
    @inline(never)
    private static func makeRoom(_ shared: inout SharedTurn, _ replacesOnly: Bool) throws {
        do {
            try shared.writer.log.reserve(live: shared.writer.liveBytes)
        } catch {
            let failure = StoreError.device(error, shared.place.path)
            if failure.code == .diskFull, replacesOnly, shared.writer.log.fitsInReserve { return }
            throw failure
        }
    }

    /// Writes the frame.
    ///
    /// If that fails, what it left behind is erased, or nothing more can be written.
    @inline(__always)
    private static func append(_ shared: inout SharedTurn) throws {
        do {
            if shared.writer.log.isMapped() {
                if !shared.writer.log.isPresent { try makePresent(&shared) }
                try shared.writer.log.store()
            } else {
                try shared.writer.log.write()
            }
        } catch {
            throw erase(after: error, &shared)
        }
    }

    @inline(never)
    private static func makePresent(_ shared: inout SharedTurn) throws {
        try shared.writer.log.makePresent(unsynced: unsyncedSize(shared.writer))
    }

    /// How much of the log is not confirmed to be on the disk.
    static func unsyncedSize(_ writer: borrowing WriterTurn) -> Int {
        writer.log.unsyncedSize(writer.page?.syncedWord ?? StateWord(rawValue: 0))
    }

    @inline(never)
    private static func erase(after error: any Error, _ shared: inout SharedTurn) -> StoreError {
        let path = shared.place.path
        let failure = StoreError.device(error, path)
        do {
            try shared.writer.log.erase(shared.writer.log.end.offset..<shared.writer.log.frameEnd)
            shared.page?.pendingEnd = 0
            if failure.code == .diskFull { return failure }
        } catch {
            // Nothing more may be written to what holds its traces.
        }
        Failing.poison(&shared.writer, failure)
        return StoreError.failedDevice(error, path)
    }
}
