import LarderCore
import LarderFiles
import Synchronization

/// What compaction and backup share.
enum Copying {
    /// How often to catch up with the writers at most; then they wait for the rest.
    static let mostCatchUps = 12
    /// So much of the log may be copied while writers wait.
    static let leftForTheLock = 2 << 10
    /// How many entries are copied before readers and writers get a chance.
    fileprivate static let entriesAtOnce = 16

    /// Copies those entries from `position` to `limit` that are still current.
    static func copyEntries<Holder: Turn & ~Copyable>(
        of log: DeviceLog,
        _ position: inout LogPosition,
        to limit: Int,
        into copy: inout LogCopy,
        preparing: Bool = true,
        _ turn: inout Holder,
        progress: (inout Holder, Int) -> Void = { _, _ in }
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
            &turn,
            progress: progress
        )
    }

    /// The same, but what has expired by now may be left out: then it is added to `expired`.
    static func copyEntries<Holder: Turn & ~Copyable>(
        of log: DeviceLog,
        _ position: inout LogPosition,
        to limit: Int,
        into copy: inout LogCopy,
        leavingOutExpired: Bool,
        _ expired: inout [ExpiredEntry],
        preparing: Bool = true,
        _ turn: inout Holder,
        progress: (inout Holder, Int) -> Void = { _, _ in }
    ) throws {
        var found = CurrentEntries(now: leavingOutExpired ? turn.place.now : nil, preparing: preparing)
        let view = turn.view
        let side = turn.look { $0.entries.side }
        let stop = try log.reader.frames(
            from: position,
            to: limit,
            progress: { offset in
                // The bytes that were noted are about to go.
                turn.look { found.add(to: &copy, $0.entries, &expired) }
                try copy.writeOut(ifMoreThan: LogCopy.outputSize)
                progress(&turn, offset)
            }
        ) { frame in
            frame.forEachEntry { entry, offset in
                guard entry.kind != .removed else { return }
                let key = frame.bytes.slice(entry.key)
                let hashed = view.hash(key)
                switch view.currency(of: KeyWords(key), hashed: hashed, at: offset, side) {
                case .outdated: return
                case .current(let number): found.note(entry, frame.bytes, at: offset, number, hashed)
                case .unsure: found.note(entry, frame.bytes, at: offset, nil, hashed)
                }
                if found.isFull { turn.look { found.add(to: &copy, $0.entries, &expired) } }
            }
        }
        copy.endFrame()
        guard stop.offset == limit else { throw damaged(at: stop, turn.place) }
        position = stop
    }

    /// Copies what the commits from `position` to `end` come to, as one frame for each stretch of them.
    static func copyChanges(
        of log: DeviceLog,
        _ position: inout LogPosition,
        to end: LogPosition,
        into copy: inout LogCopy,
        preparing: Bool = true,
        _ turn: inout some Turn & ~Copyable
    ) throws {
        while position.offset < end.offset {
            let delta = try LogDelta(of: log, from: position, to: end.offset, hash: turn.view.hash)
            guard delta.end.offset > position.offset else { throw damaged(at: position, turn.place) }
            copy.prepareChanges(delta.end.offset - position.offset)
            for start in stride(from: 0, to: delta.entries.count, by: entriesAtOnce) {
                turn.look { index in
                    for number in start..<min(start + entriesAtOnce, delta.entries.count) {
                        delta.withEntry(number) { entry, bytes, offset in
                            let place = copy.addChange(bytes.slice(entry.bytes))
                            guard
                                preparing, entry.kind != .removed,
                                let number = index.entries.find(bytes.slice(entry.key)),
                                index.entries.position(number) == offset
                            else { return }
                            index.entries.prepare(number, at: place)
                        }
                    }
                }
            }
            copy.endFrame()
            try copy.writeOut(ifMoreThan: LogCopy.outputSize)
            position = delta.end
        }
    }

    private static func damaged(at stop: LogPosition, _ place: borrowing Place) -> StoreError {
        .damagedLog(place.path, at: stop.offset, "a commit is not as it was written")
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
        noted.reserveCapacity(Copying.entriesAtOnce)
    }

    var isFull: Bool { noted.count >= Copying.entriesAtOnce }

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
    mutating func add(to copy: inout LogCopy, _ index: borrowing DeviceIndex, _ expired: inout [ExpiredEntry]) {
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
