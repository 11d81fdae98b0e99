import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that commit requests to the log.
///
/// ``Planner`` plans a commit. The functions of this type then write the commit's frame to the log, update the index, and publish the new
/// end of the log to all processes, in this order.
enum Commit {
    /// The result of a commit request.
    struct Outcome {
        /// The number of the last commit that must be synced to make the request durable, or `nil` if an expectation did not hold.
        var number: UInt64?
        /// The end offset of the log after the commit, in bytes.
        var end: Int
        /// The total size of the live entries after the commit, in bytes.
        var live: Int
    }

    /// Commits a request without syncing the commit to disk.
    ///
    /// - Parameters:
    ///   - request: The expectations to check and the writes to commit.
    ///   - entrance: A token that gives access to the engine.
    /// - Returns: The number of the last commit that must be synced to make the request durable, or `nil` if an expectation did not hold.
    /// - Throws: `StoreError` if the write fails, in which case the store is unchanged.
    @discardableResult
    static func run(_ request: CommitRequest, _ entrance: inout Entrance) throws -> UInt64? {
        try check(request, &entrance)
        // Only observed commits are measured, so that the others cost nothing.
        let start = entrance.observers.isObserved ? entrance.observers.meters.start(entrance.place) : nil
        let outcome: Outcome
        do {
            outcome = try entrance.commit { try write(request, &$0) }
        } catch let error as StoreError where error.code == .diskFull {
            // A compaction may free space. If the compaction fails, the original error is more useful.
            guard (try? Compaction.run(.reclaiming, &entrance)) == .done else { throw error }
            outcome = try entrance.commit { try write(request, &$0) }
        } catch {
            Observers.deliver(&entrance)
            throw error
        }
        if let start { entrance.observers.meters.commits.add(since: start, entrance.place) }
        settle(outcome, &entrance)
        return outcome.number
    }

    /// Throws an error if the store is closed or read-only, or if a request with expectations contains an invalid key or value.
    @inline(__always)
    static func check(_ request: CommitRequest, _ entrance: inout Entrance) throws {
        try entrance.checkUsable()
        // Without expectations, planning validates the writes before anything is changed.
        if request.expectations.count > 0 { try request.validate() }
        guard entrance.page != nil else { throw StoreError.readOnlyLog(entrance.place.path) }
    }

    /// Notifies observers after a commit, and starts a compaction if enough space can be reclaimed.
    @inline(__always)
    static func settle(_ outcome: Outcome, _ entrance: inout Entrance) {
        if entrance.observers.isObserved { Observers.deliver(&entrance) }
        if LogFormat.isCompactionDue(end: outcome.end, live: outcome.live) {
            Compaction.runSoon(outcome, &entrance)
        }
    }

    /// Creates the outcome of commit `number` from the current size of the log and its live entries.
    @inline(__always)
    static func outcome(_ number: UInt64?, _ shared: borrowing SharedTurn) -> Outcome {
        Outcome(number: number, end: shared.writer.log.end.offset, live: shared.writer.liveBytes)
    }

    // MARK: While no process writes

    static func write(_ request: CommitRequest, _ shared: inout SharedTurn) throws -> Outcome {
        guard try request.expectations.isEmpty || Planner.fulfils(request, &shared) else { return outcome(nil, shared) }
        // Fast path for the most common commit, which needs no plan: a new integer for an existing key.
        if let put = request.onlyInteger, !shared.observers.isObserved,
            let entry = shared.view.entryNumber(of: put.key, put.hash)
        {
            if shared.view.table.entry(entry).keeps(put.integer) { return outcome(shared.look { $0.commits }, shared) }
            let size = StoredValue.encodedSize(of: put.integer)
            shared.writer.log.builder.begin()
            shared.writer.log.builder.set(put.key, put.integer, size: size, until: nil)
            shared.writer.log.isWrittenByCall = request.isToBeSynced
            let number = try writeFrame(&shared, replacesOnly: true) { index, _, start in
                let position = start + LogFormat.prologueSize
                index.entries.replace(entry, with: IndexValue(put.integer), length: size, at: position)
            }
            // Check again, because an observer may have been added in the meantime and may have read the earlier value.
            if shared.observers.isObserved { Observers.publishMissed(1, &shared.writer) }
            return outcome(number, shared)
        }
        guard try Planner.plan(request, &shared) else { return try writeLast(of: request, &shared) }
        // Changes may be large, so they are not kept for the next commit.
        defer { shared.writer.log.plan.dropChanges() }
        guard shared.writer.log.plan.items.count > 0 else { return outcome(shared.look { $0.commits }, shared) }
        try shared.writer.log.checkLength(shared.place.path)
        // The first store to a mapped page after a sync causes a page fault, so commits that will be synced use a system call.
        shared.writer.log.isWrittenByCall = request.isToBeSynced
        let replacesOnly = shared.writer.log.plan.replacesOnly
        let number = try writeFrame(&shared, replacesOnly: replacesOnly) { index, log, start in
            apply(log.plan.items.elements, of: request, &index.entries, start)
        }
        // Check again, because an observer may have been added since planning and may have read the earlier value.
        if shared.observers.isObserved { publish(request, &shared) }
        return outcome(number, shared)
    }

    /// Commits a request that writes to a key more than once, by writing only the last value of each key.
    private static func writeLast(of request: CommitRequest, _ shared: inout SharedTurn) throws -> Outcome {
        try request.validate()
        return try Planner.lastWrites(of: request).withUnsafeBufferPointer { writes in
            var last = CommitRequest(writes)
            last.origin = request.origin
            last.isToBeSynced = request.isToBeSynced
            return try write(last, &shared)
        }
    }

    private static func apply(
        _ items: UnsafeBufferPointer<CommitPlan.Item>,
        of request: CommitRequest,
        _ entries: inout DeviceIndex,
        _ start: Int
    ) {
        var index = 0
        request.forEachPiece { writes, first in
            while index < items.count {
                let item = items[index]
                let place = Int(item.write) - first
                guard place < writes.count, let write = writes.baseAddress.map({ $0 + place }) else { return true }
                // Fast path for integers, the most common values, which need no reference counting.
                if case .int(let integer)? = write.pointee.value, item.number >= 0, request.expiry == nil {
                    let value = IndexValue(integer)
                    let position = start + Int(item.offset)
                    entries.replace(Int(item.number), with: value, length: Int(item.size), at: position)
                } else {
                    apply(item, write, of: request, &entries, start)
                }
                index += 1
            }
            return false
        }
    }

    private static func apply(
        _ item: CommitPlan.Item,
        _ write: UnsafePointer<StoreBatch.Write>,
        of request: CommitRequest,
        _ entries: inout DeviceIndex,
        _ start: Int
    ) {
        let position = start + Int(item.offset)
        guard let value = write.pointee.value else {
            return write.pointee.key.withWords { entries.remove($0, hashed: item.hash) }
        }
        let isInFile = item.size > LogFormat.largestValueInMemory
        let entry = DeviceIndex.Entry(
            value: isInFile ? .null : request.isFresh ? value : value.withOwnBytes,
            length: Int(item.size),
            checksum: item.checksum,
            expiry: request.expiry
        )
        if item.number >= 0 {
            entries.replace(Int(item.number), with: entry, at: position)
        } else {
            write.pointee.key.withWords { entries.set(entry, for: $0, hashed: item.hash, at: position) }
        }
    }

    private static func publish(_ request: CommitRequest, _ shared: inout SharedTurn) {
        guard shared.writer.log.plan.hasAllChanges else { return Observers.publishMissed(1, &shared.writer) }
        let origin = request.origin?.pointee ?? .thisProcess
        Observers.publish(StoreChange(entries: shared.writer.log.plan.changes, origin: origin), &shared.writer)
    }

    /// Writes the completed frame, applies it to the index, and publishes it to all processes.
    ///
    /// Once the frame is written, the commit can't fail.
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
        do {
            try shared.writer.log.append()
        } catch {
            throw erase(after: error, &shared)
        }
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

    /// Removes expired entries in one commit, skipping entries that have since been overwritten.
    static func remove(_ expired: ArraySlice<ExpiredEntry>, _ shared: inout SharedTurn) throws {
        shared.writer.log.builder.begin()
        var removed: [[UInt8]] = []
        for entry in expired {
            entry.key.withUnsafeBytes { bytes in
                let position = shared.look { index in
                    index.entries.find(bytes).map { index.entries.position($0) }
                }
                guard position == entry.position else { return }
                shared.writer.log.builder.remove(KeyWords(bytes))
                removed.append(entry.key)
            }
        }
        guard !removed.isEmpty else { return }
        let hash = shared.view.hash
        _ = try writeFrame(&shared, replacesOnly: true) { index, _, _ in
            for key in removed { key.withUnsafeBytes { index.entries.remove(KeyWords($0), hashed: hash($0)) } }
        }
    }

    // MARK: The disk

    /// Reserves disk space for the frame to be written.
    ///
    /// If the disk is full, a short frame that only replaces or removes entries may use the preallocated reserve.
    private static func makeRoom(_ shared: inout SharedTurn, _ replacesOnly: Bool) throws {
        do {
            try shared.writer.log.reserve(live: shared.writer.liveBytes)
        } catch {
            let failure = StoreError.device(error, shared.place.path)
            if failure.code == .diskFull, replacesOnly, shared.writer.log.fitsInReserve { return }
            throw failure
        }
    }

    /// Erases a partially written frame after a failed write, and returns the error to throw.
    ///
    /// The store accepts further writes only if the frame was erased and the cause was a full disk.
    private static func erase(after error: any Error, _ shared: inout SharedTurn) -> StoreError {
        let path = shared.place.path
        let failure = StoreError.device(error, path)
        do {
            try shared.writer.log.erase(shared.writer.log.end.offset..<shared.writer.log.frameEnd)
            shared.page?.pendingEnd = 0
            if failure.code == .diskFull { return failure }
        } catch {
            // A file that may contain part of a frame must not be written again.
        }
        Failing.poison(&shared.writer, failure)
        return StoreError.failedDevice(error, path)
    }
}
