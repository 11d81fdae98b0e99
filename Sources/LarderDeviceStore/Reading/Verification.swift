import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that verify a store by reading the entire log and comparing its entries with the in-memory index.
enum Verification {
    /// The range of the log to verify, and the problems found in its header.
    private struct Beginning {
        let log: DeviceLog
        let end: LogPosition
        var result = StoreVerification(checkedEntries: 0)
        /// Whether ``result`` is final and the log doesn't need to be read.
        var isOver = false
    }

    /// The log entries that the verification has read so far.
    private struct Content: ~Copyable {
        let log: DeviceLog
        var entries: DeviceIndex
        var end = LogPosition.beginning

        init(of log: DeviceLog, hash: KeyHash) {
            self.log = log
            entries = DeviceIndex(hash: hash)
        }

        /// Reads the log up to `limit` or up to the first corrupt commit.
        mutating func read(to limit: Int, progress: (Int) throws -> Void = { _ in }) throws {
            end = try log.reader.frames(from: end, to: limit, progress: progress) {
                try entries.apply($0, hash: entries.hash)
            }
        }
    }

    /// The maximum number of attempts to read the log while writers continue.
    ///
    /// A concurrent compaction makes an attempt fail. Writers are blocked during the final attempt.
    private static let mostReadings = 3

    /// Verifies the store, and returns the number of checked entries and the problems found.
    ///
    /// Writers in this process are blocked while the latest commits are read. `progress` is called while no lock is held.
    static func run(
        _ entrance: inout Entrance,
        progress: (StoreProgress) throws -> Void = { _ in }
    ) throws -> StoreVerification {
        try entrance.checkUsable()
        defer { Observers.deliver(&entrance) }
        do {
            for _ in 0..<mostReadings {
                if let result = try verifyConcurrently(&entrance, progress) { return result }
            }
            return try entrance.write { writer in
                let beginning = try begin(&writer)
                if beginning.isOver { return beginning.result }
                var content = Content(of: beginning.log, hash: writer.view.hash)
                // The progress handler is not called here, because it may use the store.
                return try finish(&content, beginning.result, &writer)
            }
        } catch {
            throw StoreError.device(error, entrance.place.path)
        }
    }

    /// Verifies the store while writers continue, or returns `nil` if the log is replaced during the check.
    private static func verifyConcurrently(
        _ entrance: inout Entrance,
        _ progress: (StoreProgress) throws -> Void
    ) throws -> StoreVerification? {
        let beginning = try entrance.write { try begin(&$0) }
        if beginning.isOver { return beginning.result }
        let (log, total) = (beginning.log, beginning.end.offset)
        var content = Content(of: log, hash: entrance.view.hash)
        try content.read(to: total) { try progress(StoreProgress(completed: $0, total: total)) }
        for _ in 0..<Copying.maximumPasses {
            guard let end = entrance.write({ $0.log.log === log ? $0.log.end : nil }) else { return nil }
            guard end.offset - content.end.offset > Copying.finalPassSize else { break }
            try content.read(to: end.offset)
        }
        return try entrance.write { writer in
            // A progress handler may have closed the store.
            try writer.checkUsable()
            if writer.page != nil { try Following.follow(&writer) }
            guard writer.log.log === log else { return nil }
            return try finish(&content, beginning.result, &writer)
        }
    }

    /// Determines the range of the log to read, and checks the log's header.
    ///
    /// This function requires the writer's lock, because writers change the header.
    private static func begin(_ writer: inout WriterTurn) throws -> Beginning {
        try writer.checkUsable()
        if writer.page != nil { try Following.follow(&writer) }
        var beginning = Beginning(log: writer.log.log, end: writer.log.end)
        let header = try headerReading(of: beginning.log)
        for flaw in header.flaws {
            beginning.result.problems.append(.init("Part of the header is corrupt.", offset: flaw))
        }
        guard case .valid(let found) = header.choice, found.seed == beginning.log.seed else {
            beginning.result.problems.append(
                .init("The header belongs to another store or to another generation of this store.", offset: 0)
            )
            beginning.isOver = true
            return beginning
        }
        if let damage = writer.place.damage {
            beginning.result.problems.append(
                .init(
                    "The store is corrupt, so only its intact part can be read.",
                    offset: damage.ranges.first?.lowerBound
                )
            )
            beginning.isOver = true
        }
        return beginning
    }

    /// Reads the remaining commits of the log, and compares the log's entries with the in-memory index.
    private static func finish(
        _ content: inout Content,
        _ result: StoreVerification,
        _ writer: inout WriterTurn
    ) throws -> StoreVerification {
        var result = result
        try content.read(to: writer.log.end.offset)
        if content.end != writer.log.end {
            result.problems.append(.init("The commit at this offset is corrupt.", offset: content.end.offset))
        }
        writer.look { compare($0, with: content.entries, &result) }
        return result
    }

    /// Reads the header, and reads it again if it has flaws that a concurrent write may have caused.
    ///
    /// - Returns: The last result, with only the flaws that were found in both reads.
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
                .init(
                    "The file contains \(counted(entries.count, "entry", "entries")), but the index in memory contains \(mine.entries.count)."
                )
            )
        }
        mine.entries.forEachIndex { number in
            let entry = mine.entries.entry(number)
            let (key, found) = mine.entries.withKey(number) { (String(decoding: $0, as: UTF8.self), entries.find($0)) }
            result.checkedEntries += 1
            guard let found else {
                result.problems.append(.init("The entry is in memory but not in the file.", key: key))
                return
            }
            let other = entries.entry(found)
            let position = mine.entries.position(number)
            if entry.value != other.value || entry.length != other.length || entry.checksum != other.checksum
                || entry.expiry != other.expiry
            {
                result.problems.append(
                    .init("The value in the file differs from the value in memory.", key: key, offset: position)
                )
            } else if position != entries.position(found) {
                result.problems.append(
                    .init("The entry is not at the expected offset in the file.", key: key, offset: position)
                )
            } else if entry.isInFile, (try? mine.valueInFile(number).load()) == nil {
                // The cause does not matter here, because reading the key throws it.
                result.problems.append(
                    .init(
                        "The value can't be read from the file. Call `get` with this key to see the cause.",
                        key: key,
                        offset: position
                    )
                )
            }
        }
    }
}
