import Foundation
import LarderCore
package import LarderDeviceStore
import LarderFiles
import LarderTestSupport

/// Flipped bits and cut files: never a crash, never silence, and no more lost than what was hit.
package struct DamageProof: Sendable {
    /// What the damaged store is like.
    package enum Subject: CaseIterable, Sendable {
        /// Commits of one key and of several, a removal.
        case commits
        /// A snapshot, as compaction writes it, and commits behind it.
        case snapshot
        /// Values that stay in the file.
        case largeValues
        /// Commits of which the later ones lie behind the synced mark, with nothing that says that they were made: what is left
        /// by a power loss that took none of them.
        case unsynced
        /// The same, and the control file says how far they go: what is left by processes that died.
        case stated

        /// Those of a store that was closed: all of it lies before the synced mark.
        package static let closed: [Subject] = [.commits, .snapshot, .largeValues]
    }

    let io: DeviceStoreOptions.IO
    let subject: Subject
    /// The file, with most of what is reserved behind the commits left out, to be fast.
    let bytes: [UInt8]
    /// The file with all that is reserved.
    let whole: [UInt8]
    let log: LogDissection
    /// What was stored.
    let contents: Contents
    /// Where the commits end.
    let end: Int
    /// Up to where the commits are known to have been made, so that what is missing there is damage.
    let certainEnd: Int
    /// The disk as its processes left it, where the control file counts.
    private let disk: LyingFileSystem?

    /// Makes the store to be damaged.
    package init(_ subject: Subject, _ io: DeviceStoreOptions.IO) throws {
        self.io = io
        self.subject = subject
        let disk = SimulatedStore.disk(recordsControlFile: true)
        let store = try SimulatedStore(on: disk, io).open()
        let count = subject == .snapshot ? 60 : 10
        for number in 0..<count { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        if subject == .snapshot { try store.compact() }
        try store.set(.string("a longer text that takes some room"), for: "text")
        let isClosed = Subject.closed.contains(subject)
        if !isClosed { try store.flushNow() }
        try store.remove("key3")
        var batch = StoreBatch()
        batch.set(.int(1), for: "first")
        batch.set(.string("two"), for: "second")
        batch.remove("key4")
        _ = try store.commit(batch)
        if subject == .largeValues { try store.set(.data(Data(repeating: 5, count: 17_000)), for: "large") }
        try store.set(.int(-1), for: "key5")
        contents = try store.contents()
        if isClosed { try store.closeNow() }
        let left = disk.afterProcessDeath()
        let file = try left.open(SimulatedStore.path, .reading)
        whole = try file.read(at: 0, count: file.information().size)
        log = try LogDissection(whole)
        end = log.frames.last?.range.upperBound ?? 4096
        certainEnd = subject == .unsynced ? log.syncedMark : end
        self.disk = subject == .stated ? left : nil
        bytes = subject == .stated ? whole : Array(whole.prefix(end + 256))
    }

    /// What makes the subject another one than it is meant to be.
    var misunderstanding: String? {
        if log.contents() != contents { return "the file does not hold what was stored" }
        let isMeant =
            Subject.closed.contains(subject)
            ? log.syncedMark == end : log.frames.dropFirst().contains { $0.range.lowerBound == log.syncedMark }
        if !isMeant { return "the synced mark is at \(log.syncedMark), the end at \(end)" }
        return whole.count >= end + 1_024 ? nil : "nothing is reserved"
    }

    /// A disk with that as the file.
    func disk(_ bytes: [UInt8]) throws -> LyingFileSystem {
        guard let disk else {
            return LyingFileSystem(directories: ["/data"], files: [SimulatedStore.path: bytes], isRecording: false)
        }
        let copy = disk.afterProcessDeath()
        let file = try copy.open(SimulatedStore.path, .writing)
        try file.write(bytes, at: 0)
        try file.truncate(to: bytes.count)
        return copy
    }

    func open(_ bytes: [UInt8], _ change: (inout DeviceStoreOptions) -> Void = { _ in }) throws -> DeviceStore {
        try SimulatedStore(on: disk(bytes), io).open(change)
    }
}
