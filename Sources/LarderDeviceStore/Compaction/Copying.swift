import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that copy a log for compactions and backups.
enum Copying {
    /// The maximum number of passes that copy concurrent commits before the final pass, which blocks writers.
    static let maximumPasses = 12
    /// The maximum number of log bytes to leave for the final pass, which blocks writers.
    static let finalPassSize = 2 << 10
    /// The number of entries to copy per acquisition of the index's lock.
    fileprivate static let entriesAtOnce = 16

    /// Copies the current entries between `position` and `limit`, including expired ones, and advances `position` to `limit`.
    static func copyEntries<Holder: Turn & ~Copyable>(
        of log: DeviceLog,
        _ position: inout LogPosition,
        to limit: Int,
        into copy: inout LogCopy,
        preparing: Bool = true,
        _ turn: inout Holder,
        progress: (inout Holder, Int) throws -> Void = { _, _ in }
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

    /// Copies the current entries between `position` and `limit`, and advances `position` to `limit`.
    ///
    /// If `leavingOutExpired` is `true`, expired entries are appended to `expired` instead of the copy.
    static func copyEntries<Holder: Turn & ~Copyable>(
        of log: DeviceLog,
        _ position: inout LogPosition,
        to limit: Int,
        into copy: inout LogCopy,
        leavingOutExpired: Bool,
        _ expired: inout [ExpiredEntry],
        preparing: Bool = true,
        _ turn: inout Holder,
        progress: (inout Holder, Int) throws -> Void = { _, _ in }
    ) throws {
        var found = NotedEntries(
            hash: turn.view.hash,
            now: leavingOutExpired ? turn.place.now : nil,
            preparing: preparing
        )
        let stop = try log.reader.frames(
            from: position,
            to: limit,
            progress: { offset in
                // The batch is copied now, because the buffer that contains its entries is about to be reused.
                turn.look { found.add(to: &copy, $0.entries, &expired) }
                try copy.writeOut(ifMoreThan: LogCopy.outputSize)
                try progress(&turn, offset)
            }
        ) { frame in
            frame.forEachEntry { entry, offset in
                guard entry.kind != .removed else { return }
                found.note(entry, frame.bytes, at: offset)
                if found.isFull { turn.look { found.add(to: &copy, $0.entries, &expired) } }
            }
        }
        copy.endFrame()
        guard stop.offset == limit else { throw damaged(at: stop, turn.place) }
        position = stop
    }

    /// Copies the net changes made by the commits between `position` and `end`, and advances `position` to `end`.
    ///
    /// Writes one frame for each section of about 1 MB of the log.
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
        .damagedLog(place.path, at: stop.offset, "a commit is corrupt")
    }
}

/// An expired entry that is omitted from a copy of the log.
struct ExpiredEntry {
    let key: [UInt8]
    /// The offset of the entry in the log, which distinguishes the entry from later entries for the same key.
    let position: Int
}

/// A batch of log entries, from which only current entries are copied.
private struct NotedEntries {
    private struct Noted {
        let bytes: UnsafeRawBufferPointer
        let key: UnsafeRawBufferPointer
        let offset: Int
        let hash: UInt64
        let isExpired: Bool
    }

    private let hash: KeyHash
    private let now: Int64?
    private let preparing: Bool
    private var noted: [Noted] = []

    /// Creates a batch that excludes entries whose expiry time is `now` or earlier.
    ///
    /// If `now` is `nil`, expired entries are included.
    init(hash: KeyHash, now: Int64?, preparing: Bool) {
        self.hash = hash
        self.now = now
        self.preparing = preparing
        noted.reserveCapacity(Copying.entriesAtOnce)
    }

    var isFull: Bool { noted.count >= Copying.entriesAtOnce }

    /// Adds a log entry to the batch.
    ///
    /// The bytes of the entry must stay valid until the next call to ``add(to:_:_:)``.
    mutating func note(_ entry: LogEntry, _ bytes: UnsafeRawBufferPointer, at offset: Int) {
        let key = bytes.slice(entry.key)
        noted.append(
            Noted(
                bytes: bytes.slice(entry.bytes),
                key: key,
                offset: offset,
                // The hash is computed here, where no lock is held.
                hash: hash(key),
                isExpired: now.map { (entry.expiry ?? .max) <= $0 } ?? false
            )
        )
    }

    /// Adds current entries of the batch to `copy` or, if they have expired, to `expired`, and empties the batch.
    ///
    /// The caller must hold the lock of `index`.
    mutating func add(to copy: inout LogCopy, _ index: borrowing DeviceIndex, _ expired: inout [ExpiredEntry]) {
        for entry in noted {
            // The offset identifies the entry, so the entry is current if its offset is unchanged.
            guard
                let number = index.find(KeyWords(entry.key), hashed: entry.hash), index.position(number) == entry.offset
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
