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
        var none: [[UInt8]] = []
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

    /// The same, but what has expired may be left out: then its keys are added to `expired`.
    func copyEntries(
        of log: DeviceLog,
        _ position: inout LogReader.Stop,
        to limit: Int,
        into copy: inout LogCopy,
        leavingOutExpired: Bool,
        _ expired: inout [[UInt8]],
        preparing: Bool = true,
        progress: (Int) -> Void = { _ in }
    ) throws {
        let now = now
        let stop = try log.reader.frames(from: position, to: limit, progress: progress) { found in
            try memory.withLock { memory in
                try found.forEachEntry { entry, offset in
                    guard
                        entry.kind != .removed,
                        let number = memory.index.find(found.bytes.slice(entry.key)),
                        memory.index.position(number) == offset
                    else { return }
                    if leavingOutExpired, let expiry = entry.expiry, expiry <= now {
                        return expired.append(Array(found.bytes.slice(entry.key)))
                    }
                    let place = try copy.add(found.bytes.slice(entry.bytes))
                    if preparing { memory.index.prepare(number, at: place) }
                }
            }
        }
        try copy.endFrame()
        guard stop.offset == limit else {
            throw StoreError.damagedLog(path, at: stop.offset, "a commit is not as it was written")
        }
        position = stop
    }

    /// How many entries are copied before readers and writers get a chance.
    private static var entriesAtOnce: Int { 64 }

    /// Copies what the commits from `position` to `end` come to, as commits of their own.
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
            try copy.endChanges()
            position = delta.end
        }
    }
}
