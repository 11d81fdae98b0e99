import LarderCore
import LarderFiles

/// What a stretch of a log comes to: of each key the last entry, set or removed, so that one commit can stand for all.
struct LogDelta {
    /// In the order of the log.
    let entries: [LogEntry]
    /// Where the stretch ends.
    let end: LogPosition
    private let bytes: [UInt8]
    private let start: Int

    private static let longestStretch = 1 << 20

    /// Reads whole frames from `start` on: at least one, about a megabyte at most, none that ends behind `limit`.
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

    /// Calls `body` with an entry, the bytes it lies in, and its offset in the file.
    func withEntry(_ index: Int, _ body: (LogEntry, UnsafeRawBufferPointer, _ offset: Int) -> Void) {
        let entry = entries[index]
        bytes.withUnsafeBytes { body(entry, $0, start + entry.bytes.lowerBound) }
    }

    /// Collects the entries of valid frames; returns how many bytes are needed when a frame is longer than what is there.
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

    /// Leaves out entries whose key comes again later.
    private static func last(_ entries: [LogEntry], _ bytes: UnsafeRawBufferPointer, _ hash: KeyHash) -> [LogEntry] {
        guard entries.count > 1 else { return entries }
        var size = 16
        while size < entries.count * 2 { size *= 2 }
        var table = [Int32](repeating: -1, count: size)
        var kept: [LogEntry] = []
        for entry in entries.reversed() {
            let key = bytes.slice(entry.key)
            var place = Int(truncatingIfNeeded: hash(key)) & (size - 1)
            var isKnown = false
            while table[place] >= 0, !isKnown {
                isKnown = bytes.slice(kept[Int(table[place])].key).hasSameBytes(as: key)
                if !isKnown { place = (place + 1) & (size - 1) }
            }
            if isKnown { continue }
            table[place] = Int32(truncatingIfNeeded: kept.count)
            kept.append(entry)
        }
        kept.reverse()
        return kept
    }
}
