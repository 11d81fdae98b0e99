import LarderCore
import LarderFiles

/// The net changes in a section of a log, that is, the last entry for each key.
///
/// A single commit of these entries is equivalent to all commits of the section.
struct LogDelta {
    /// The last entry for each key, in log order.
    let entries: [LogEntry]
    /// The position after the last frame that was read.
    let end: LogPosition
    private let bytes: [UInt8]
    private let start: Int

    private static let longestStretch = 1 << 20

    /// Reads the section of `log` that begins at `start` and consists of complete frames.
    ///
    /// The section ends at or before `limit` and is at most about 1 MB long, unless its first frame alone is longer.
    init(of log: DeviceLog, from start: LogPosition, to limit: Int, hash: KeyHash) throws {
        var all: [LogEntry] = []
        var stop = start
        var bytes: [UInt8] = []
        var count = min(Self.longestStretch, limit - start.offset)
        while true {
            bytes = try log.file.read(at: start.offset, count: count)
            let needed = bytes.withUnsafeBytes { Self.read($0, log.seed, limit - start.offset, &all, &stop) }
            guard stop == start, let needed, needed > count else { break }
            count = needed
        }
        self.start = start.offset
        self.bytes = bytes
        end = stop
        entries = bytes.withUnsafeBytes { Self.last(all, $0, hash) }
    }

    /// Calls `body` with the entry at `index`, the bytes that contain the entry, and the entry's offset in the log file.
    func withEntry(_ index: Int, _ body: (LogEntry, UnsafeRawBufferPointer, _ offset: Int) -> Void) {
        let entry = entries[index]
        bytes.withUnsafeBytes { body(entry, $0, start + entry.bytes.lowerBound) }
    }

    /// Appends the entries of valid frames to `entries`, and advances `stop` past these frames.
    ///
    /// Returns the number of bytes that the next frame needs if it does not fit in `bytes`, or `nil` otherwise.
    private static func read(
        _ bytes: UnsafeRawBufferPointer,
        _ seed: UInt32,
        _ limit: Int,
        _ entries: inout [LogEntry],
        _ stop: inout LogPosition
    ) -> Int? {
        let origin = stop.offset
        var scanner = FrameScanner(bytes, at: origin, seed: seed, from: stop, limit: limit)
        defer { stop = scanner.position }
        while true {
            switch scanner.next() {
            case .nothing: return nil
            case .needs(let count): return scanner.position.offset - origin + count
            case .frame(let found): found.forEachEntry { entry, _ in entries.append(entry) }
            }
        }
    }

    /// Returns the last entry for each key, in log order.
    private static func last(_ entries: [LogEntry], _ bytes: UnsafeRawBufferPointer, _ hash: KeyHash) -> [LogEntry] {
        guard entries.count > 1 else { return entries }
        let size = ProbeTable.size(for: entries.count)
        var kept: [LogEntry] = []
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: size) { slots in
            slots.initialize(repeating: 0)
            guard let start = slots.baseAddress else { return }
            let table = ProbeTable(IndexWords(start), mask: size - 1)
            for entry in entries.reversed() {
                let key = bytes.slice(entry.key)
                let hash = hash(key)
                let found = table.search(hash) { bytes.slice(kept[$0].key).hasSameBytes(as: key) }
                if found.number != nil { continue }
                table.set(kept.count, hashed: hash, at: found.place)
                kept.append(entry)
            }
        }
        kept.reverse()
        return kept
    }
}
