import LarderCore
import LarderFiles
import Synchronization

/// Reading the whole file again, and comparing it with what is in memory.
enum Verification {
    /// What there is to be read, and what is wrong with the header.
    private struct Beginning {
        let log: DeviceLog
        let end: LogPosition
        var result = StoreVerification(checkedEntries: 0)
        /// Whether that says all there is to say.
        var isOver = false
    }

    /// What was read of a log.
    private struct Content: ~Copyable {
        let log: DeviceLog
        var entries: DeviceIndex
        var end = LogPosition.beginning

        init(of log: DeviceLog, hash: KeyHash) {
            self.log = log
            entries = DeviceIndex(hash: hash)
        }

        /// Reads up to `limit`, or to the first commit that is not as it was written.
        mutating func read(to limit: Int, progress: (Int) -> Void = { _ in }) throws {
            end = try log.reader.frames(from: end, to: limit, progress: progress) {
                try entries.apply($0, hash: entries.hash)
            }
        }
    }

    /// How often to begin again if a compaction has put another log in place meanwhile; then writers wait.
    private static let mostReadings = 3

    /// Verifies the store.
    ///
    /// Writers of this process wait for the end of it: all of the file is read without a lock, but for what they wrote last. `progress`
    /// is called while no lock is held.
    static func run(
        _ entrance: inout Entrance,
        progress: @Sendable (StoreProgress) -> Void = { _ in }
    ) throws -> StoreVerification {
        try entrance.checkUsable()
        defer { Observers.deliver(&entrance) }
        do {
            for _ in 0..<mostReadings {
                if let result = try verifyBesideWriters(&entrance, progress) { return result }
            }
            return try entrance.write { writer in
                let beginning = try begin(&writer)
                if beginning.isOver { return beginning.result }
                var content = Content(of: beginning.log, hash: writer.view.hash)
                // No handler is called: it may use the store.
                return try finish(&content, beginning.result, &writer)
            }
        } catch {
            throw StoreError.device(error, entrance.place.path)
        }
    }

    /// `nil` if another log is in place by the end.
    private static func verifyBesideWriters(
        _ entrance: inout Entrance,
        _ progress: @Sendable (StoreProgress) -> Void
    ) throws -> StoreVerification? {
        let beginning = try entrance.write { try begin(&$0) }
        if beginning.isOver { return beginning.result }
        let (log, total) = (beginning.log, beginning.end.offset)
        var content = Content(of: log, hash: entrance.view.hash)
        try content.read(to: total) { progress(StoreProgress(completed: $0, total: total)) }
        for _ in 0..<Copying.mostCatchUps {
            guard let end = entrance.write({ $0.log.log === log ? $0.log.end : nil }) else { return nil }
            guard end.offset - content.end.offset > Copying.leftForTheLock else { break }
            try content.read(to: end.offset)
        }
        return try entrance.write { writer in
            // A handler may have closed it.
            try writer.checkUsable()
            if writer.page != nil { try Following.follow(&writer) }
            guard writer.log.log === log else { return nil }
            return try finish(&content, beginning.result, &writer)
        }
    }

    /// Notes what is to be read, and checks the header, which writers of this process change.
    private static func begin(_ writer: inout WriterTurn) throws -> Beginning {
        try writer.checkUsable()
        if writer.page != nil { try Following.follow(&writer) }
        var beginning = Beginning(log: writer.log.log, end: writer.log.end)
        let header = try headerReading(of: beginning.log)
        for flaw in header.flaws {
            beginning.result.problems.append(.init("Part of the header is not as it was written.", offset: flaw))
        }
        guard case .valid(let found) = header.choice, found.seed == beginning.log.seed else {
            beginning.result.problems.append(.init("The header is not that of this store.", offset: 0))
            beginning.isOver = true
            return beginning
        }
        if let damage = writer.place.damage {
            beginning.result.problems.append(
                .init("The file is damaged; only its good part is shown.", offset: damage.ranges.first?.lowerBound)
            )
            beginning.isOver = true
        }
        return beginning
    }

    /// Reads the rest and compares.
    private static func finish(
        _ content: inout Content,
        _ result: StoreVerification,
        _ writer: inout WriterTurn
    ) throws -> StoreVerification {
        var result = result
        try content.read(to: writer.log.end.offset)
        if content.end != writer.log.end {
            result.problems.append(.init("A commit is not as it was written.", offset: content.end.offset))
        }
        writer.look { compare($0, with: content.entries, &result) }
        return result
    }

    /// What the header says, and what of it is not as it was written, looked at twice: a slot may be half written just then.
    private static func headerReading(of log: DeviceLog) throws -> LogHeader.Reading {
        func read() throws -> LogHeader.Reading {
            try log.file.read(at: 0, count: LogFormat.headerSize).withUnsafeBytes { LogHeader.read($0) }
        }
        let first = try read()
        guard !first.flaws.isEmpty else { return first }
        var second = try read()
        second.flaws.removeAll { !first.flaws.contains($0) }
        return second
    }

    private static func compare(
        _ mine: borrowing Index,
        with entries: borrowing DeviceIndex,
        _ result: inout StoreVerification
    ) {
        if mine.entries.count != entries.count {
            result.problems.append(
                .init("The file holds \(entries.count) entries, memory \(mine.entries.count).")
            )
        }
        mine.entries.forEachIndex { number in
            let entry = mine.entries.entry(number)
            let (key, found) = mine.entries.withKey(number) { (String(decoding: $0, as: UTF8.self), entries.find($0)) }
            result.checkedEntries += 1
            guard let found else {
                result.problems.append(.init("The entry is not in the file.", key: key))
                return
            }
            let other = entries.entry(found)
            let position = mine.entries.position(number)
            if entry.value != other.value || entry.length != other.length || entry.checksum != other.checksum
                || entry.expiry != other.expiry
            {
                result.problems.append(.init("The value in the file is another one.", key: key, offset: position))
            } else if position != entries.position(found) {
                result.problems.append(.init("The entry lies elsewhere in the file.", key: key, offset: position))
            } else if entry.isInFile, (try? mine.valueInFile(number).load()) == nil {
                // Whatever keeps it from being read: that it can't be is the finding, and reading the key throws the reason.
                result.problems.append(.init("The value can't be read.", key: key, offset: position))
            }
        }
    }
}
