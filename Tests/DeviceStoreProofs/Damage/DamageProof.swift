import Foundation
import LarderCore
package import LarderDeviceStore
import LarderFiles
import LarderTestSupport

/// A proof that flipped bits and truncation do not crash the store, are reported, and lose no more than the damaged part.
package struct DamageProof: Sendable {
    /// The contents of the store to damage.
    package enum Subject: CaseIterable, Sendable {
        /// Commits of one key and of several keys, and a removal.
        case commits
        /// A snapshot, as written by compaction, followed by commits.
        case snapshot
        /// Values that stay in the file.
        case largeValues
        /// Commits that partly follow the synced mark and that no control file records, as after a power loss that lost no data.
        case unsynced
        /// Commits that partly follow the synced mark and that a control file records, as after the death of all processes.
        case stated

        /// The subjects in which the store was closed, so that all commits precede the synced mark.
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
    /// The offset of the end of the commits.
    let end: Int
    /// The offset of the end of the recorded commits.
    ///
    /// Missing data before this offset is damage.
    let certainEnd: Int
    /// The disk with the control file, or `nil` for subjects without a control file.
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

    /// The reason why the file does not match the subject, or `nil` if it matches.
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
