import LarderCore
import LarderFiles

/// Putting the good part of a damaged store in its place.
enum Repair {
    /// Copies the file at `path` aside and puts its good part in its place; `nil` when every byte that counts is as it was written.
    static func run(
        _ path: String,
        _ options: DeviceStoreOptions,
        progress: @Sendable (StoreProgress) -> Void = { _ in }
    ) throws -> DeviceStoreDamage? {
        let environment = options.environment
        let fileSystem = environment.fileSystem
        try StoreError.checkName(path)
        try Opening.checkVolume(of: path, options)
        // Where there is no store, none of its control file is to be left either.
        _ = try fileSystem.open(path, .writing)
        return try OpeningTurn.open(path, environment, by: { (try fileSystem.open(path, .writing), false) }) {
            opening in
            try run(path, &opening, environment, progress)
        }
    }

    /// The same; `progress` is called while the lock between processes is held.
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
        // Of these nothing is lost; but they would be found for ever.
        good.damage.ranges.insert(contentsOf: reading.flaws.map(LogHeader.damagedRange), at: 0)
        guard !good.damage.ranges.isEmpty else { return nil }
        good.damage.copy = try copyAside(path, file, fileSystem, progress)
        var next = log.nextHeader
        // Whoever still has the damaged file open must not take this for its successor.
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
            // Half a copy is of no use, and each attempt would leave one; should it stay, nothing is lost by it.
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
            // What was checked, and not what a disk that fails may say when it is asked once more.
            try good.bytes.withUnsafeBytes { bytes in
                var positions: [Int] = []
                good.entries.forEachIndex { positions.append(good.entries.position($0)) }
                for position in positions.sorted() {
                    guard let entry = LogEntry.read(bytes, at: position, before: bytes.count) else {
                        throw StoreError.damagedLog(path, at: position, "an entry is not where it was found")
                    }
                    _ = copy.add(bytes.slice(entry.bytes))
                }
            }
            try copy.settle(reserving: good.entries.liveBytes)
        }
    }

    /// A file without a header and without commits holds nothing that could be told from chance.
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
        // What somebody has removed meanwhile is not to come back.
        guard let former = try fileSystem.information(at: path, followingLinks: false) else {
            throw FileError(.notFound, .inspect, path)
        }
        guard let file = try fileSystem.claimNewFile(for: path, inPlaceOf: former) else {
            throw StoreError.busyLog(path, holder: 0)
        }
        do {
            try write(file)
            // Kept until the file is closed, when the repair is done.
            let owner = try control.acquireOwnerLock(on: file)
            defer { withExtendedLifetime(owner) {} }
            // Cut meanwhile, it may be a page that only this process sees.
            guard control.hasLock else { throw StoreError.lostControl(path, by: nil) }
            // Before it happens: a process that still has the former file open must not write to it when this one dies.
            control.page.noteFailure()
            try fileSystem.rename(path + LogFormat.newSuffix, to: path)
        } catch {
            // Should it stay, the next repair begins it anew.
            try? fileSystem.removeNewFile(file, for: path)
            throw error
        }
        try fileSystem.synchronizeDirectory(at: FilePath.folder(of: path))
    }
}

extension LogHeader {
    /// What is damaged of a header with that flaw: a slot, or the rest of what should be zero behind one.
    fileprivate static func damagedRange(_ flaw: Int) -> Range<Int> {
        let isSlot = LogFormat.slotOffsets.contains(flaw)
        return flaw..<(isSlot ? flaw + LogFormat.slotSize : (flaw + 1).rounded(up: LogFormat.slotOffsets[1]))
    }
}
