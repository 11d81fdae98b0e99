import LarderCore
import LarderFiles
import Synchronization

extension DeviceEngine {
    /// What there is to be read, and what is wrong with the header.
    private struct Beginning: Sendable {
        let log: DeviceLog
        let end: LogReader.Stop
        var result = StoreVerification(checkedEntries: 0)
        /// Whether that says all there is to say.
        var isOver = false
    }

    /// What was read of a log.
    private struct Reading: ~Copyable {
        let log: DeviceLog
        var index: DeviceIndex
        var end = LogReader.Stop.beginning

        init(of log: DeviceLog, hash: KeyHash) {
            self.log = log
            index = DeviceIndex(hash: hash)
        }

        /// Reads up to `limit`, or to the first commit that is not as it was written.
        mutating func read(to limit: Int, hash: KeyHash, progress: (Int) -> Void = { _ in }) throws {
            end = try log.reader.frames(from: end, to: limit, progress: progress) { try index.apply($0, hash: hash) }
        }
    }

    /// How often to begin again when a compaction has put another log in place meanwhile; then writers wait.
    private static let mostReadings = 3

    /// Reads the whole file again and compares it with what is in memory.
    ///
    /// Writers of this process wait for the end of it: all of the file is read without a lock, but for what they wrote last. `progress`
    /// is called while no lock is held.
    func verify(progress: @Sendable (StoreProgress) -> Void = { _ in }) throws -> StoreVerification {
        try checkUsable()
        defer { deliver() }
        do {
            for _ in 0..<Self.mostReadings {
                if let result = try verifyBesideWriters(progress) { return result }
            }
            return try writer.withLock { writer in
                let beginning = try begin(&writer)
                if beginning.isOver { return beginning.result }
                var reading = Reading(of: beginning.log, hash: hash)
                // No handler is called: it may use the store.
                return try finish(&reading, beginning.result, writer)
            }
        } catch {
            throw StoreError.device(error, path)
        }
    }

    /// `nil` when another log is in place by the end.
    private func verifyBesideWriters(
        _ progress: @Sendable (StoreProgress) -> Void
    ) throws -> StoreVerification? {
        let beginning = try writer.withLock { try begin(&$0) }
        if beginning.isOver { return beginning.result }
        let (log, total) = (beginning.log, beginning.end.offset)
        var reading = Reading(of: log, hash: hash)
        try reading.read(to: total, hash: hash) { progress(StoreProgress(completed: $0, total: total)) }
        for _ in 0..<Self.mostCatchUps {
            guard let end = writer.withLock({ $0.log === log ? $0.end : nil }) else { return nil }
            guard end.offset - reading.end.offset > Self.leftForTheLock else { break }
            try reading.read(to: end.offset, hash: hash)
        }
        return try writer.withLock { writer in
            // A handler may have closed it.
            try checkUsable()
            if control != nil { try follow(&writer) }
            guard writer.log === log else { return nil }
            return try finish(&reading, beginning.result, writer)
        }
    }

    /// Notes what is to be read, and checks the header, which writers of this process change.
    private func begin(_ writer: inout Writer) throws -> Beginning {
        try checkUsable()
        if control != nil { try follow(&writer) }
        var beginning = Beginning(log: writer.log, end: writer.end)
        let header = try headerReading(of: writer.log)
        for flaw in header.flaws {
            beginning.result.problems.append(.init("Part of the header is not as it was written.", offset: flaw))
        }
        guard case .valid(let found) = header.choice, found.seed == writer.log.seed else {
            beginning.result.problems.append(.init("The header is not that of this store.", offset: 0))
            beginning.isOver = true
            return beginning
        }
        if damage != nil {
            beginning.result.problems.append(
                .init("The file is damaged; only its good part is shown.", offset: damage?.ranges.first?.lowerBound)
            )
            beginning.isOver = true
        }
        return beginning
    }

    /// Reads the rest and compares; under the writer's lock.
    private func finish(
        _ reading: inout Reading,
        _ result: StoreVerification,
        _ writer: borrowing Writer
    ) throws -> StoreVerification {
        var result = result
        try reading.read(to: writer.end.offset, hash: hash)
        if reading.end != writer.end {
            result.problems.append(.init("A commit is not as it was written.", offset: reading.end.offset))
        }
        memory.withLock { compare($0, with: reading.index, &result) }
        return result
    }

    /// What the header says, and what of it is not as it was written, looked at twice: a slot may be half written just then.
    private func headerReading(of log: DeviceLog) throws -> LogHeader.Reading {
        func read() throws -> LogHeader.Reading {
            try log.file.read(at: 0, count: LogFormat.headerSize).withUnsafeBytes { LogHeader.read($0) }
        }
        let first = try read()
        guard !first.flaws.isEmpty else { return first }
        var second = try read()
        second.flaws.removeAll { !first.flaws.contains($0) }
        return second
    }

    private func compare(
        _ memory: borrowing Memory,
        with index: borrowing DeviceIndex,
        _ result: inout StoreVerification
    ) {
        if memory.index.count != index.count {
            result.problems.append(
                .init("The file holds \(index.count) entries, memory \(memory.index.count).")
            )
        }
        memory.index.forEachIndex { number in
            let mine = memory.index.entry(number)
            let (key, found) = memory.index.withKey(number) { (String(decoding: $0, as: UTF8.self), index.find($0)) }
            result.checkedEntries += 1
            guard let other = found else {
                result.problems.append(.init("The entry is not in the file.", key: key))
                return
            }
            let theirs = index.entry(other)
            let position = memory.index.position(number)
            if mine.value != theirs.value || mine.length != theirs.length || mine.checksum != theirs.checksum
                || mine.expiry != theirs.expiry
            {
                result.problems.append(.init("The value in the file is another one.", key: key, offset: position))
            } else if position != index.position(other) {
                result.problems.append(.init("The entry lies elsewhere in the file.", key: key, offset: position))
            } else if mine.isInFile, (try? memory.valueInFile(number).load()) == nil {
                // Whatever keeps it from being read: that it can't be is the finding, and reading the key throws the reason.
                result.problems.append(.init("The value can't be read.", key: key, offset: position))
            }
        }
    }
}
