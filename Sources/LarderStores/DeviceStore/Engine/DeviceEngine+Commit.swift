import LarderCore
import LarderFiles
import Synchronization

extension DeviceEngine {
    /// One write of a commit, encoded.
    struct PlannedWrite {
        /// In the frame.
        var entry: LogEntry
        /// What memory will keep; `nil` for a removal.
        var new: DeviceIndex.Entry?
        /// For observers: key, old and new value.
        var change: StoreChange.Entry?
    }

    /// Carries out `batch`, buffered.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - expiry: When everything set by the batch expires, in milliseconds since 1970.
    /// - Returns: The number of commits that must be synced for the state it left to be durable, or `nil` when an expectation
    ///   did not hold.
    /// - Throws: ``StoreError``; then nothing was changed.
    func commit(_ batch: StoreBatch, until expiry: Int64? = nil) throws -> UInt64? {
        try checkUsable()
        try batch.validate()
        guard control != nil else { throw StoreError.readOnlyLog(path) }
        try compactIfInevitable()
        let outcome: (number: UInt64?, isDue: Bool)
        do {
            outcome = try attempt(batch, until: expiry)
        } catch let error as StoreError where error.code == .diskFull {
            // Compaction gives room back, where there is something to give.
            guard (try? compact(.reclaiming)) == true else { throw error }
            outcome = try attempt(batch, until: expiry)
        }
        deliver()
        if outcome.isDue { compactWhenConvenient() }
        return outcome.number
    }

    private func attempt(_ batch: StoreBatch, until expiry: Int64?) throws -> (number: UInt64?, isDue: Bool) {
        try writer.withLock { writer in
            try withProcessLock(&writer) { writer in
                let number = try write(batch, until: expiry, &writer)
                let live = memory.withLock { $0.index.liveBytes }
                return (number, LogFormat.isCompactionDue(end: writer.end.offset, live: live))
            }
        }
    }

    /// Under both locks, with everything that others wrote read.
    private func write(_ batch: StoreBatch, until expiry: Int64?, _ writer: inout Writer) throws -> UInt64? {
        guard try fulfils(batch) else { return nil }
        try plan(batch, until: expiry, &writer)
        defer { writer.plan.removeAll(keepingCapacity: true) }
        guard !writer.plan.isEmpty else { return memory.withLock { $0.commits } }
        let length = writer.builder.length
        guard length <= LogFormat.maximumFrameLength else {
            throw StoreError(
                .unsupportedValue,
                "A commit of \(length) bytes is more than a store of this kind takes: make it smaller.",
                path: path
            )
        }
        writer.builder.seal(seed: writer.log.seed, sequence: writer.end.sequence)
        try makeRoom(&writer)
        try append(&writer)
        let number = apply(&writer)
        if isObserved {
            publish(StoreChange(entries: writer.plan.compactMap(\.change), origin: batch.origin))
        }
        return number
    }

    // MARK: Before anything is changed

    private func fulfils(_ batch: StoreBatch) throws -> Bool {
        for expectation in batch.expectations {
            switch expectation {
            case .value(let value, let key):
                if try current(key) != value { return false }
            case .entries(let entries, let prefix):
                if try entriesUnderLock(prefix: prefix) != entries { return false }
            }
        }
        return true
    }

    private func current(_ key: StoreKey) throws -> StoredValue? {
        try key.withBytes { try current($0, hash($0)).value }
    }

    /// What is stored under a key, for whoever holds the writer's lock; `isThere` even when it has expired.
    private func current(
        _ key: UnsafeRawBufferPointer,
        _ hash: UInt64
    ) throws -> (value: StoredValue?, expiry: Int64?, isThere: Bool) {
        switch memory.withLock({ $0.find(key, hash, at: $0.word.rawValue) }) {
        case .found(let value): (value, nil, true)
        case .inFile(let value): (try load(value), nil, true)
        case .expiring(let value, let expiry): (isExpired(expiry) ? .none : .some(value), expiry, true)
        case .expiringInFile(let value, let expiry): (try isExpired(expiry) ? .none : load(value), expiry, true)
        case .absent, .behind: (nil, nil, false)
        }
    }

    /// Encodes those writes of `batch` that change something into the writer's frame.
    private func plan(_ batch: StoreBatch, until expiry: Int64?, _ writer: inout Writer) throws {
        writer.builder.begin()
        writer.plan.removeAll(keepingCapacity: true)
        let isObserved = isObserved
        if batch.writes.count == 1 {
            try plan(batch.writes[0], until: expiry, isObserved, &writer)
            return
        }
        // Of two writes to one key the later one counts, in the place of the first.
        var last: [StoreKey: Int] = [:]
        last.reserveCapacity(batch.writes.count)
        var order: [StoreKey] = []
        order.reserveCapacity(batch.writes.count)
        for (index, write) in batch.writes.enumerated() where last.updateValue(index, forKey: write.key) == nil {
            order.append(write.key)
        }
        for key in order {
            guard let index = last[key] else { continue }
            try plan(batch.writes[index], until: expiry, isObserved, &writer)
        }
    }

    private func plan(
        _ write: StoreBatch.Write,
        until expiry: Int64?,
        _ isObserved: Bool,
        _ writer: inout Writer
    ) throws {
        try write.key.withBytes { key in
            let old = try current(key, hash(key))
            let start = writer.builder.length
            var new: DeviceIndex.Entry?
            if let value = write.value {
                if old.value == value, old.expiry == expiry { return }
                writer.scratch.removeAll(keepingCapacity: true)
                try LogValue.append(value, to: &writer.scratch)
                let length = writer.scratch.count
                let isLarge = length > LogFormat.largestValueInMemory
                let checksum = isLarge ? writer.scratch.withUnsafeBytes { CRC32C.of($0) } : 0
                new = DeviceIndex.Entry(
                    value: isLarge ? .null : value,
                    length: length,
                    checksum: checksum,
                    expiry: expiry
                )
                writer.scratch.withUnsafeBytes { writer.builder.set(key, $0, until: expiry) }
            } else {
                guard old.isThere else { return }
                writer.builder.remove(key)
            }
            let entry = writer.builder.bytes.withUnsafeBytes { LogEntry.read($0, at: start, before: $0.count) }
            guard let entry else { return }
            var change: StoreChange.Entry?
            if isObserved, old.value != write.value, !StoreKey.isReserved(key) {
                change = StoreChange.Entry(key: write.key.text, old: old.value, new: write.value)
            }
            writer.plan.append(PlannedWrite(entry: entry, new: new, change: change))
        }
    }

    // MARK: The disk

    /// Reserves room for the frame, or finds it in what is reserved.
    private func makeRoom(_ writer: inout Writer) throws {
        let end = writer.end.offset + writer.builder.length
        if end + LogFormat.reserve <= writer.reservedEnd { return }
        let live = memory.withLock { $0.index.liveBytes }
        let wanted = LogFormat.reservation(end: end + LogFormat.reserve, live: live)
        do {
            try writer.log.file.reserve(wanted)
            writer.reservedEnd = wanted
        } catch {
            let failure = StoreError.device(error, path)
            let isSmall = writer.builder.length <= LogFormat.longestFrameInReserve
            if failure.code == .diskFull, isSmall, end <= writer.reservedEnd, replacesOnly(writer) { return }
            throw failure
        }
    }

    private func replacesOnly(_ writer: Writer) -> Bool {
        writer.builder.bytes.withUnsafeBytes { bytes in
            memory.withLock { memory in
                writer.plan.allSatisfy { memory.index.find(bytes.slice($0.entry.key)) != nil }
            }
        }
    }

    /// Writes the frame.
    ///
    /// When that fails, what it left behind is wiped out, or nothing more can be written.
    private func append(_ writer: inout Writer) throws {
        let start = writer.end.offset
        let end = start + writer.builder.length
        control?[LogFormat.Control.pendingEnd] = UInt64(end)
        do {
            try writer.builder.bytes.withUnsafeBytes { try writer.log.file.write($0, at: start) }
        } catch {
            let failure = StoreError.device(error, path)
            do {
                try wipe(writer.log.file, start..<end)
                control?[LogFormat.Control.pendingEnd] = 0
            } catch {
                poison(&writer, failure)
            }
            if failure.code != .diskFull { poison(&writer, failure) }
            throw failure
        }
    }

    /// Makes the frame that was written count: from here on nothing can fail.
    private func apply(_ writer: inout Writer) -> UInt64 {
        let start = writer.end.offset
        let end = start + writer.builder.length
        let word = StateWord(generation: writer.log.generation, end: end)
        let number = memory.withLock { memory in
            writer.builder.bytes.withUnsafeBytes { bytes in
                for write in writer.plan {
                    let key = bytes.slice(write.entry.key)
                    if let new = write.new {
                        memory.index.set(new, for: key, hashed: hash(key), at: start + write.entry.bytes.lowerBound)
                    } else {
                        memory.index.remove(key, hashed: hash(key))
                    }
                }
            }
            memory.commits += 1
            memory.word = word
            stateWord.pointee.store(word.rawValue, ordering: .releasing)
            return memory.commits
        }
        control?[LogFormat.Control.pendingEnd] = 0
        writer.end = LogReader.Stop(offset: end, sequence: writer.end.sequence + 1)
        return number
    }
}
