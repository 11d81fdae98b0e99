import LarderCore
import LarderFiles
import Synchronization

// What compaction and backup share.
extension DeviceEngine {
    /// Copies those entries from `position` to `limit` that are still current.
    func copyEntries(
        of log: DeviceLog,
        _ position: inout LogReader.Stop,
        to limit: Int,
        into copy: inout LogCopy,
        preparing: Bool = true,
        progress: (Int) -> Void = { _ in }
    ) throws {
        var none: [ExpiredEntry] = []
        try copyEntries(
            of: log,
            &position,
            to: limit,
            into: &copy,
            leavingOutExpired: false,
            &none,
            preparing: preparing,
            progress: progress
        )
    }

    /// The same, but what has expired by now may be left out: then it is added to `expired`.
    func copyEntries(
        of log: DeviceLog,
        _ position: inout LogReader.Stop,
        to limit: Int,
        into copy: inout LogCopy,
        leavingOutExpired: Bool,
        _ expired: inout [ExpiredEntry],
        preparing: Bool = true,
        progress: (Int) -> Void = { _ in }
    ) throws {
        var found = CurrentEntries(now: leavingOutExpired ? now : nil, preparing: preparing)
        let side = memory.withLock { $0.index.side }
        let stop = try log.reader.frames(
            from: position,
            to: limit,
            progress: { offset in
                // The bytes that were noted are about to go.
                memory.withLock { found.add(to: &copy, &$0.index, &expired) }
                try copy.writeOut(ifMoreThan: LogCopy.outputSize)
                progress(offset)
            }
        ) { frame in
            frame.forEachEntry { entry, offset in
                guard entry.kind != .removed else { return }
                let key = frame.bytes.slice(entry.key)
                let hashed = hash(key)
                switch view.currency(of: KeyWords(key), hashed: hashed, at: offset, side) {
                case .outdated: return
                case .current(let number): found.note(entry, frame.bytes, at: offset, number, hashed)
                case .unsure: found.note(entry, frame.bytes, at: offset, nil, hashed)
                }
                if found.isFull { memory.withLock { found.add(to: &copy, &$0.index, &expired) } }
            }
        }
        copy.endFrame()
        guard stop.offset == limit else {
            throw StoreError.damagedLog(path, at: stop.offset, "a commit is not as it was written")
        }
        position = stop
    }

    /// How many entries are copied before readers and writers get a chance.
    fileprivate static var entriesAtOnce: Int { 16 }

    /// Copies what the commits from `position` to `end` come to, as one frame for each stretch of them.
    func copyChanges(
        of log: DeviceLog,
        _ position: inout LogReader.Stop,
        to end: LogReader.Stop,
        into copy: inout LogCopy,
        preparing: Bool = true
    ) throws {
        while position.offset < end.offset {
            let delta = try LogDelta(of: log, from: position, to: end.offset, hash: hash)
            guard delta.end.offset > position.offset else {
                throw StoreError.damagedLog(path, at: position.offset, "a commit is not as it was written")
            }
            copy.prepareChanges(delta.end.offset - position.offset)
            for start in stride(from: 0, to: delta.entries.count, by: Self.entriesAtOnce) {
                memory.withLock { memory in
                    for index in start..<min(start + Self.entriesAtOnce, delta.entries.count) {
                        delta.withEntry(index) { entry, bytes, offset in
                            let place = copy.addChange(bytes.slice(entry.bytes))
                            guard
                                preparing, entry.kind != .removed,
                                let number = memory.index.find(bytes.slice(entry.key)),
                                memory.index.position(number) == offset
                            else { return }
                            memory.index.prepare(number, at: place)
                        }
                    }
                }
            }
            copy.endFrame()
            try copy.writeOut(ifMoreThan: LogCopy.outputSize)
            position = delta.end
        }
    }
}

/// What a copy leaves out.
struct ExpiredEntry {
    let key: [UInt8]
    /// Where in the log it lies: nothing that is set later does.
    let position: Int
}

/// Entries of a log that were found to be current without a lock, some at a time, on their way into a copy.
private struct CurrentEntries {
    private struct Noted {
        let bytes: UnsafeRawBufferPointer
        let key: UnsafeRawBufferPointer
        let offset: Int
        /// `nil` when it is not known yet whether it is current.
        let number: Int?
        let hash: UInt64
        let isExpired: Bool
    }

    private let now: Int64?
    private let preparing: Bool
    private var noted: [Noted] = []

    /// What expires at `now` or before is left out.
    init(now: Int64?, preparing: Bool) {
        self.now = now
        self.preparing = preparing
        noted.reserveCapacity(DeviceEngine.entriesAtOnce)
    }

    var isFull: Bool { noted.count >= DeviceEngine.entriesAtOnce }

    /// Notes an entry, whose bytes must stay until it is added.
    mutating func note(
        _ entry: LogEntry,
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int,
        _ number: Int?,
        _ hash: UInt64
    ) {
        noted.append(
            Noted(
                bytes: bytes.slice(entry.bytes),
                key: bytes.slice(entry.key),
                offset: offset,
                number: number,
                hash: hash,
                isExpired: now.map { (entry.expiry ?? .max) <= $0 } ?? false
            )
        )
    }

    /// Adds to `copy` what is still current, and to `expired` what was left out; under the lock of `index`.
    mutating func add(to copy: inout LogCopy, _ index: inout DeviceIndex, _ expired: inout [ExpiredEntry]) {
        for entry in noted {
            // Nothing but this entry ever lies there; the index may have become another one, of fewer entries, meanwhile.
            guard
                let number = entry.number ?? index.find(entry.key, hashed: entry.hash),
                number < index.entryEnd, index.position(number) == entry.offset
            else { continue }
            if entry.isExpired {
                expired.append(ExpiredEntry(key: Array(entry.key), position: entry.offset))
                continue
            }
            let place = copy.add(entry.bytes)
            if preparing { index.prepare(number, at: place) }
        }
        noted.removeAll(keepingCapacity: true)
    }
}
