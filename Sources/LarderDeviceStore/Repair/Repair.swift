import LarderCore
import LarderFiles

/// A namespace for functions that replace a corrupt store file with a file that contains its intact entries.
enum Repair {
    /// Backs up the corrupt file at `path`, and replaces it with a file that contains its intact entries.
    ///
    /// Returns a description of the corruption, or `nil` if the file is intact.
    static func run(
        _ path: String,
        _ options: DeviceStoreOptions,
        progress: @Sendable (StoreProgress) -> Void = { _ in }
    ) throws -> DeviceStoreDamage? {
        let environment = options.environment
        let fileSystem = environment.fileSystem
        try StoreError.checkName(path)
        try Opening.checkVolume(of: path, options)
        // If there is no store, no control file must be left behind.
        _ = try fileSystem.open(path, .writing)
        return try OpeningTurn.open(path, environment, by: { (try fileSystem.open(path, .writing), false) }) {
            opening in
            try run(path, &opening, environment, progress)
        }
    }

    /// Repairs the store at `path`.
    ///
    /// The interprocess lock is held during the repair, including the calls to `progress`.
    private static func run(
        _ path: String,
        _ opening: inout OpeningTurn,
        _ environment: DeviceEnvironment,
        _ progress: @Sendable (StoreProgress) -> Void
    ) throws -> DeviceStoreDamage? {
        let fileSystem = environment.fileSystem
        let (control, file) = (opening.log.control, opening.log.file)
        let reading: (header: LogHeader, flaws: [Int])
        do {
            reading = try LogHeader.read(from: file, path)
        } catch let error as StoreError where error.code == .damaged {
            guard var good = try Salvage(withoutHeader: file, path, environment) else {
                return try replaceWithNothing(path, file, control, environment, progress)
            }
            good.damage.copy = try copyAside(path, file, fileSystem, progress)
            try replace(path, with: good, .new(), control, environment)
            return good.damage
        }
        let header = reading.header
        try header.checkWriting(path)
        let log = try DeviceLog(file: file, header: header, needsFolderSync: false)
        let subject = ControlFile.Subject(of: log, boot: try fileSystem.bootBytes())
        let statement = control.statement(of: subject, generation: header.generation)
        var good = try Salvage(of: log, path, trustedEnd: header.trustedEnd(statement), environment)
        // These flaws lose no data, but every verification would report them.
        good.damage.ranges.insert(contentsOf: reading.flaws.map(LogHeader.damagedRange), at: 0)
        guard !good.damage.ranges.isEmpty else { return nil }
        good.damage.copy = try copyAside(path, file, fileSystem, progress)
        var next = log.nextHeader
        // A process that still has the corrupt file open must not mistake the new file for its next generation.
        next.generation &+= 1
        try replace(path, with: good, next, control, environment)
        return good.damage
    }

    private static func copyAside(
        _ path: String,
        _ file: any OpenFile,
        _ fileSystem: any FileSystem,
        _ progress: @Sendable (StoreProgress) -> Void
    ) throws -> String {
        var number = 1
        while try fileSystem.information(at: path + LogFormat.damagedSuffix + "\(number)", followingLinks: false) != nil
        {
            number += 1
        }
        let aside = path + LogFormat.damagedSuffix + "\(number)"
        let copy = try fileSystem.open(aside, FileOpenMode(isWritable: true, creation: .always, followsLinks: false))
        do {
            let size = try file.information().size
            let blockSize = 1 << 20
            for offset in stride(from: 0, to: size, by: blockSize) {
                try copy.write(try file.read(at: offset, count: min(blockSize, size - offset)), at: offset)
                progress(StoreProgress(completed: offset + blockSize, total: size))
            }
            try copy.synchronize(.everything)
            try fileSystem.synchronizeDirectory(at: FilePath.folder(of: path))
        } catch {
            // A partial copy is useless, and each attempt would leave one. If the removal fails, no data is affected.
            try? fileSystem.remove(aside)
            throw error
        }
        return aside
    }

    private static func replace(
        _ path: String,
        with good: borrowing Salvage,
        _ header: LogHeader,
        _ control: ControlFile,
        _ environment: DeviceEnvironment
    ) throws {
        try put(path, control, environment) { file in
            var copy = LogCopy(to: file, header)
            // Uses the bytes that were checked, because a failing disk may return different bytes when the file is read again.
            try good.bytes.withUnsafeBytes { bytes in
                var positions: [Int] = []
                good.entries.forEachIndex { positions.append(good.entries.position($0)) }
                for position in positions.sorted() {
                    guard let entry = LogEntry.read(bytes, at: position, before: bytes.count) else {
                        throw StoreError.damagedLog(path, at: position, "an entry is no longer where it was found")
                    }
                    _ = copy.add(bytes.slice(entry.bytes))
                }
            }
            try copy.settle(reserving: good.entries.liveBytes)
        }
    }

    /// Replaces a store in which no commit was found with an empty store.
    private static func replaceWithNothing(
        _ path: String,
        _ file: any OpenFile,
        _ control: ControlFile,
        _ environment: DeviceEnvironment,
        _ progress: @Sendable (StoreProgress) -> Void
    ) throws -> DeviceStoreDamage {
        let size = try file.information().size
        let aside = try copyAside(path, file, environment.fileSystem, progress)
        try put(path, control, environment) { file in
            var copy = LogCopy(to: file, .new())
            try copy.settle(reserving: 0)
        }
        return DeviceStoreDamage(
            path: path,
            copy: aside,
            ranges: [0..<size],
            missingCommits: 0,
            keptEntries: 0,
            keysInDoubt: [],
            recordsInDoubt: []
        )
    }

    private static func put(
        _ path: String,
        _ control: ControlFile,
        _ environment: DeviceEnvironment,
        _ write: (any OpenFile) throws -> Void
    ) throws {
        let fileSystem = environment.fileSystem
        // A store that was removed in the meantime must not reappear.
        guard let former = try fileSystem.information(at: path, followingLinks: false) else {
            throw FileError(.notFound, .inspect, path)
        }
        guard let file = try fileSystem.claimNewFile(for: path, inPlaceOf: former) else {
            throw StoreError.busyLog(path, holder: 0)
        }
        do {
            try write(file)
            // The lock that lets this process write to the log is held until the file is closed after the repair.
            let owner = try control.acquireOwnerLock(on: file)
            defer { withExtendedLifetime(owner) {} }
            // If the control file was truncated in the meantime, its mapped page may be private to this process.
            guard control.hasLock else { throw StoreError.lostControl(path, by: nil) }
            // The failure is recorded first, because a process that still has the former file open must not write to that file, even if
            // this process dies.
            control.page.noteFailure()
            try fileSystem.rename(path + LogFormat.newSuffix, to: path)
        } catch {
            // If the file can't be removed, the next repair reuses it.
            try? fileSystem.removeNewFile(file, for: path)
            throw error
        }
        try fileSystem.synchronizeDirectory(at: FilePath.folder(of: path))
    }
}

extension LogHeader {
    /// Returns the corrupt byte range of a log header with an error at the given offset.
    ///
    /// The range covers one of the header's slots, or bytes after a slot that should be zero.
    fileprivate static func damagedRange(_ flaw: Int) -> Range<Int> {
        let isSlot = LogFormat.slotOffsets.contains(flaw)
        return flaw..<(isSlot ? flaw + LogFormat.slotSize : (flaw + 1).rounded(up: LogFormat.slotOffsets[1]))
    }
}
