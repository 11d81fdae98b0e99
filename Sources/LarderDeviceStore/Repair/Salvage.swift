import LarderCore
import LarderFiles

/// The result of scanning a corrupt log for recoverable entries.
struct Salvage: ~Copyable {
    let log: DeviceLog
    /// The bytes of the entire file at the time of the scan.
    let bytes: [UInt8]
    var entries: DeviceIndex
    var end: LogPosition
    var damage: DeviceStoreDamage

    /// Scans the log at `path` for intact frames.
    ///
    /// All commits before the offset `trustedEnd` are known to have been written completely.
    init(of log: DeviceLog, _ path: String, trustedEnd: Int, _ environment: DeviceEnvironment) throws {
        let bytes = try log.file.read(at: 0, count: log.file.information().size)
        let found = bytes.withUnsafeBytes { LogSalvage($0, seed: log.seed, trustedEnd: trustedEnd) }
        var entries = DeviceIndex()
        try bytes.withUnsafeBytes { bytes in
            for frame in found.frames {
                try entries.apply(FoundFrame(bytes: bytes, frame: frame, origin: 0), hash: entries.hash)
            }
        }
        let lastDamage = found.damaged.last?.lowerBound ?? 0
        var (doubtful, records): ([String], [String]) = ([], [])
        var kept = 0
        let now = environment.now
        entries.forEachIndex { number in
            let isDoubtful = entries.position(number) < lastDamage
            entries.withKey(number) { key in
                if StoreKey.isReserved(key) {
                    if isDoubtful { records.append(ReservedRecord.name(of: key)) }
                } else {
                    if isDoubtful { doubtful.append(String(decoding: key, as: UTF8.self)) }
                    if entries.expiry(number) > now { kept += 1 }
                }
            }
        }
        doubtful.sort { $0.precedesByBytes($1) }
        records.sort { $0.precedesByBytes($1) }
        let end = LogPosition(
            offset: found.frames.last?.end ?? LogFormat.headerSize,
            sequence: (found.frames.last?.sequence ?? 0) + 1
        )
        let damage = DeviceStoreDamage(
            path: path,
            copy: nil,
            ranges: found.damaged,
            missingCommits: found.missingFrames,
            keptEntries: kept,
            keysInDoubt: doubtful,
            recordsInDoubt: records
        )
        self.log = log
        self.bytes = bytes
        self.entries = entries
        self.end = end
        self.damage = damage
    }

    /// Scans a log with an unreadable header for intact frames.
    ///
    /// Returns `nil` if the file contains no commits that can be distinguished from garbage.
    init?(withoutHeader file: any OpenFile, _ path: String, _ environment: DeviceEnvironment) throws {
        let bytes = try file.read(at: 0, count: file.information().size)
        let seed = bytes.withUnsafeBytes { LogSeed.recover($0) }
        guard let seed else { return nil }
        let last = bytes.withUnsafeBytes { $0.lastNonZero(in: 0..<$0.count) } ?? 0
        let log = try DeviceLog(file: file, header: .new(), needsFolderSync: false, seed: seed)
        try self.init(of: log, path, trustedEnd: min(bytes.count, LogFormat.padded(last + 1)), environment)
        damage.ranges.insert(0..<LogFormat.headerSize, at: 0)
    }
}
