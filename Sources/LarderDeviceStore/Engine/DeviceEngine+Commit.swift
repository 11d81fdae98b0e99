import LarderCore
import LarderFiles
import Synchronization

// What a commit is made of: planned in `DeviceEngine+Planning.swift`, written here, in this order: the frame, memory, the
// shared state word.
extension DeviceEngine {
    /// What a commit came to.
    struct Outcome {
        /// The number of commits that must be synced for the state it left to be durable; `nil` when an expectation did
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
    /// - Returns: The number of commits that must be synced for the state it left to be durable, or `nil` when an expectation
    ///   did not hold.
    /// - Throws: ``StoreError``; then nothing was changed.
    func commit(_ batch: StoreBatch, until expiry: Int64? = nil, isToBeSynced: Bool = false) throws -> UInt64? {
        try checkUsable()
        // Else while the commit is planned, when nothing has been changed yet: once over all writes is enough.
        if !batch.expectations.isEmpty { try batch.validate() }
        guard control != nil else { throw StoreError.readOnlyLog(path) }
        return try settling {
            try withBothLocks { try write(batch, until: expiry, isToBeSynced: isToBeSynced, &$0) }
        }
    }

    /// Attempts a commit, once more after a compaction when the disk is full, and does what is to be done after it, outside
    /// all locks.
    @inline(__always)
    func settling(_ attempt: () throws -> Outcome) throws -> UInt64? {
        let outcome: Outcome
        do {
            outcome = try attempt()
        } catch let error as StoreError where error.code == .diskFull {
            // Compaction gives room back, where there is something to give; that it can't is no news on a full disk.
            guard (try? compact(.reclaiming)) == .done else { throw error }
            outcome = try attempt()
        } catch {
            deliver()
            throw error
        }
        settle(outcome)
        return outcome.number
    }

    /// Does what is to be done after a commit, outside all locks.
    @inline(__always)
    func settle(_ outcome: Outcome) {
        if isObserved { deliver() }
        if LogFormat.isCompactionDue(end: outcome.end, live: outcome.live) { compactSoon(outcome) }
    }

    // MARK: Under both locks, with everything that others wrote read

    func write(
        _ batch: StoreBatch,
        until expiry: Int64?,
        isToBeSynced: Bool,
        _ writer: inout Writer
    ) throws -> Outcome {
        // A page that was synced can't be stored to through the map before the system has made it writable again.
        writer.isWrittenByCall = isToBeSynced
        defer { writer.isWrittenByCall = false }
        let number = try write(batch, until: expiry, &writer)
        return Outcome(number: number, end: writer.end.offset, live: writer.live)
    }

    private func write(_ batch: StoreBatch, until expiry: Int64?, _ writer: inout Writer) throws -> UInt64? {
        guard try fulfils(batch) else { return nil }
        // What observers are told may be large: it is not kept for the next commit.
        defer { writer.plan.dropChanges() }
        try plan(batch, until: expiry, &writer)
        guard writer.plan.items.count > 0 else { return memory.withLock { $0.commits } }
        try checkLength(writer)
        let number = try writeFrame(&writer, replacesOnly: writer.plan.replacesOnly) { memory, writer, start in
            apply(batch.writes, until: expiry, &memory, writer, start)
        }
        if isObserved {
            // Asked again: somebody may have come since it was planned, and may have read what was there before.
            if writer.plan.knowsChanges {
                publish(StoreChange(entries: writer.plan.changes, origin: batch.origin))
            } else {
                publishMissed(1)
            }
        }
        return number
    }

    private func apply(
        _ writes: StoreBatch.Writes,
        until expiry: Int64?,
        _ memory: inout Memory,
        _ writer: borrowing Writer,
        _ start: Int
    ) {
        for index in 0..<writer.plan.items.count {
            let item = writer.plan.items[index]
            let position = start + Int(item.offset)
            if item.replacesByInteger {
                memory.index.replace(
                    Int(item.number),
                    with: IndexValue(item.integer),
                    length: Int(item.size),
                    at: position
                )
            } else {
                let key = writer.builder.bytes.slice(item.key)
                apply(item, writes.value(at: Int(item.write)), key, until: expiry, &memory, position)
            }
        }
    }

    @inline(never)
    private func apply(
        _ item: CommitPlan.Item,
        _ value: StoredValue?,
        _ key: UnsafeRawBufferPointer,
        until expiry: Int64?,
        _ memory: inout Memory,
        _ position: Int
    ) {
        guard let value else { return memory.index.remove(key, hashed: item.hash) }
        let size = Int(item.size)
        let entry = DeviceIndex.Entry(
            value: size > LogFormat.largestValueInMemory ? .null : value.withOwnBytes,
            length: size,
            checksum: item.checksum,
            expiry: expiry
        )
        if item.number >= 0 {
            memory.index.replace(Int(item.number), with: entry, at: position)
        } else {
            memory.index.set(entry, for: key, hashed: item.hash, at: position)
        }
    }

    /// Writes the frame that was built, applies it to memory, and makes it count for every process.
    ///
    /// Nothing can fail once the frame is written.
    @inline(__always)
    func writeFrame(
        _ writer: inout Writer,
        replacesOnly: Bool,
        _ apply: (inout Memory, borrowing Writer, _ start: Int) -> Void
    ) throws -> UInt64 {
        writer.builder.seal(seed: writer.log.seed, sequence: writer.end.sequence)
        let start = writer.end.offset
        let end = start + writer.builder.length
        if end + LogFormat.reserve > writer.reservedEnd { try makeRoom(&writer, replacesOnly) }
        try append(&writer)
        let word = StateWord(generation: writer.log.generation, end: end)
        let number = memory.withLock { memory in
            apply(&memory, writer, start)
            memory.commits += 1
            memory.lastFrame = start..<end
            memory.word = word
            writer.live = memory.index.liveBytes
            stateWord.pointee.store(word.rawValue, ordering: .releasing)
            return memory.commits
        }
        control?[LogFormat.Control.pendingEnd] = 0
        writer.word = word
        writer.end = LogReader.Stop(offset: end, sequence: writer.end.sequence + 1)
        return number
    }

    /// Removes those entries that still lie where they were found, in one commit; under both locks.
    func remove(_ expired: ArraySlice<ExpiredEntry>, _ writer: inout Writer) throws {
        writer.builder.begin()
        var removed: [[UInt8]] = []
        for entry in expired {
            entry.key.withUnsafeBytes { bytes in
                let position = memory.withLock { memory in
                    memory.index.find(bytes).map { memory.index.position($0) }
                }
                guard position == entry.position else { return }
                writer.builder.remove(bytes)
                removed.append(entry.key)
            }
        }
        guard !removed.isEmpty else { return }
        _ = try writeFrame(&writer, replacesOnly: true) { memory, _, _ in
            for key in removed { key.withUnsafeBytes { memory.index.remove($0, hashed: hash($0)) } }
        }
    }

    // MARK: The disk

    /// Reserves room for the frame, or finds it in what is reserved.
    @inline(never)
    private func makeRoom(_ writer: inout Writer, _ replacesOnly: Bool) throws {
        let end = writer.end.offset + writer.builder.length
        let wanted = LogFormat.reservation(end: end + LogFormat.reserve, live: writer.live)
        do {
            try writer.log.file.reserve(wanted)
            writer.reservedEnd = wanted
            writer.allocatedEnd = wanted
        } catch {
            let failure = StoreError.device(error, path)
            let isSmall = writer.builder.length <= LogFormat.longestFrameInReserve
            if failure.code == .diskFull, isSmall, end <= writer.reservedEnd, replacesOnly { return }
            throw failure
        }
    }

    /// Writes the frame.
    ///
    /// When that fails, what it left behind is wiped out, or nothing more can be written.
    @inline(__always)
    private func append(_ writer: inout Writer) throws {
        let start = writer.end.offset
        control?[LogFormat.Control.pendingEnd] = UInt64(start + writer.builder.length)
        do {
            if io == .mapped, !writer.isWrittenByCall, isMapped(&writer) {
                if writer.tail?.isPresent(start + writer.builder.length) == false { try makePresent(&writer) }
                try writer.tail?.store(writer.builder.bytes, at: start)
            } else {
                try writer.log.file.write(writer.builder.bytes, at: start)
            }
        } catch {
            throw wipe(after: error, &writer)
        }
    }

    /// Whether the frame can be stored through the map, which is made where it is missing.
    @inline(__always)
    private func isMapped(_ writer: inout Writer) -> Bool {
        let start = writer.end.offset
        let end = start + writer.builder.length
        if writer.tail?.holds(start, end) == true { return true }
        return end - start <= LogFormat.longestMappedFrame && map(&writer, start, end)
    }

    @inline(never)
    private func map(_ writer: inout Writer, _ start: Int, _ end: Int) -> Bool {
        do {
            if writer.allocatedEnd < writer.reservedEnd {
                // What another process reserved, or a copy of the file made sparse, may have holes.
                try writer.log.file.reserve(writer.reservedEnd)
                writer.allocatedEnd = writer.reservedEnd
            }
            writer.tail?.extend(toReservedEnd: writer.allocatedEnd)
            if writer.tail?.holds(start, end) == true { return true }
            writer.tail = nil
            let tail = try MappedTail(of: writer.log.file, from: start, reservedEnd: writer.allocatedEnd)
            guard tail.holds(start, end) else { return false }
            writer.tail = tail
            return true
        } catch {
            // Then a system call does it, and says what is wrong if something is.
            return false
        }
    }

    @inline(never)
    private func makePresent(_ writer: inout Writer) throws {
        let start = writer.end.offset
        let unsynced = unsyncedSize(writer)
        try writer.tail?.makePresent(start + writer.builder.length, behind: start, unsynced: unsynced)
    }

    /// How much of the log nobody was told to be on the disk.
    func unsyncedSize(_ writer: borrowing Writer) -> Int {
        let synced = StateWord(rawValue: control?[LogFormat.Control.syncedWord] ?? 0)
        return writer.end.offset - (synced.isOf(generation: writer.log.generation) ? synced.end : writer.mark)
    }

    @inline(never)
    private func wipe(after error: any Error, _ writer: inout Writer) -> StoreError {
        let failure = StoreError.device(error, path)
        let start = writer.end.offset
        do {
            try wipe(writer.log.file, start..<start + writer.builder.length)
            control?[LogFormat.Control.pendingEnd] = 0
            if failure.code == .diskFull { return failure }
        } catch {
            // Nothing more may be written to what holds its traces.
        }
        poison(&writer, failure)
        return StoreError.failedDevice(error, path)
    }
}

extension DeviceEngine {
    /// How a key stands beside what is to be written under it.
    enum Standing {
        case absent
        /// The entry with that number is to be replaced or removed.
        case present(Int)
        case unchanged
    }

    /// How `key` stands beside `value`, or its removal, until `expiry`.
    ///
    /// `value` is one that memory keeps. For whoever holds the writer's lock and has followed the others: nobody else changes what
    /// this looks at, so that readers need not be kept out.
    @inline(__always)
    func standing(
        of key: UnsafeRawBufferPointer,
        _ hashed: UInt64,
        beside value: StoredValue?,
        _ expiry: Int64?
    ) -> Standing {
        guard let number = entryNumber(of: key, hashed) else { return value == nil ? .unchanged : .absent }
        return changes(number, to: value, expiry) ? .present(number) : .unchanged
    }

    /// The number of the entry of `key`; for the same callers as all of these.
    @inline(__always)
    func entryNumber(of key: UnsafeRawBufferPointer, _ hashed: UInt64) -> Int? {
        let table = view.table
        return table.place(of: KeyWords(key), hashed: hashed).map { IndexTable.number(ofSlot: table.slot($0)) }
    }

    /// Whether `value` until `expiry`, or a removal, makes a difference to the entry of that number.
    ///
    /// What expires always does: where the clock was set back, a compaction, maybe another process's, can be about to remove the same.
    @inline(__always)
    func changes(_ number: Int, to value: StoredValue?, _ expiry: Int64?) -> Bool {
        guard expiry == nil, let value else { return true }
        return !view.table.entry(number).keeps(value)
    }
}
