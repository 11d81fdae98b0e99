import Foundation
import LarderCore
package import LarderDeviceStore
import LarderFiles
import LarderTestSupport

/// Flipped bits and truncated files: they must not crash the store, must be reported, and must lose no more than the damaged part.
package struct DamageProof: Sendable {
    /// The contents of the store to damage.
    package enum Subject: CaseIterable, Sendable {
        /// Commits of one key and of several, and a removal.
        case commits
        /// A snapshot, as written by compaction, followed by commits.
        case snapshot
        /// Values that stay in the file.
        case largeValues
        /// Commits of which the last ones are after the synced mark, without a record that they were made: the state after a power loss
        /// that lost no data.
        case unsynced
        /// The same, with a control file that records the end of the commits: the state after processes died.
        case stated

        /// The subjects of closed stores, in which everything is before the synced mark.
        package static let closed: [Subject] = [.commits, .snapshot, .largeValues]
    }

    let io: DeviceStoreOptions.IO
    let subject: Subject
    /// The file with most of the reserved space after the commits removed, for speed.
    let bytes: [UInt8]
    /// The file with all reserved space.
    let whole: [UInt8]
    let log: LogDissection
    /// The stored entries.
    let contents: Contents
    /// The end of the commits.
    let end: Int
    /// The end of the commits that are recorded as made, before which missing data is damage.
    let certainEnd: Int
    /// The disk as the processes left it, for subjects with a control file.
    private let disk: SimulatedFileSystem?

    /// Creates the store to damage.
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

    /// Why the file does not match the subject, or `nil`.
    var misunderstanding: String? {
        if log.contents() != contents { return "the file does not hold what was stored" }
        let isMeant =
            Subject.closed.contains(subject)
            ? log.syncedMark == end : log.frames.dropFirst().contains { $0.range.lowerBound == log.syncedMark }
        if !isMeant { return "the synced mark is at \(log.syncedMark), the end at \(end)" }
        return whole.count >= end + 1_024 ? nil : "nothing is reserved"
    }

    /// Returns a disk with `bytes` as the store's file.
    func disk(_ bytes: [UInt8]) throws -> SimulatedFileSystem {
        guard let disk else {
            return SimulatedFileSystem(directories: ["/data"], files: [SimulatedStore.path: bytes], isRecording: false)
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
