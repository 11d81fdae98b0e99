import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization

/// A store on a lying disk and one backup of it, to be cut short.
final class BackupRun: Sendable {
    static let destination = "/elsewhere/copy.larder"

    let disk: LyingFileSystem
    /// That of the store.
    let process: LyingProcess
    private let meanwhile: BackupProof.Meanwhile
    private let io: DeviceStoreOptions.IO
    private let store: DeviceStore
    /// Another process.
    private let other: DeviceStore?
    private let history: Mutex<History>

    private struct History {
        /// What the store held after each commit since the backup began, which is all that power loss may leave of it.
        var states: [Contents]
        /// What a commit that did not return would come to.
        var inFlight: Contents?
        var hasBegun = false
    }

    init(_ meanwhile: BackupProof.Meanwhile, _ io: DeviceStoreOptions.IO) throws {
        self.meanwhile = meanwhile
        self.io = io
        disk = LyingFileSystem(directories: ["/data", "/elsewhere"])
        disk.leaveUnrecorded(suffix: ".ctl")
        process = LyingProcess(on: disk)
        store = try SimulatedStore(on: process, io).open()
        for number in 0..<5 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        try store.set(.data(Data(repeating: 7, count: 17_000)), for: "large")
        try store.remove("key3")
        try store.flushNow()
        other = meanwhile == .compaction ? try SimulatedStore(on: disk, io).open() : nil
        history = Mutex(History(states: [try store.contents()]))
    }

    /// Makes the backup, and has happen what is to happen meanwhile.
    func backUp() throws {
        try store.backup(to: Self.destination) { _ in
            let isFirst = self.history.withLock { history in
                defer { history.hasBegun = true }
                return !history.hasBegun
            }
            if isFirst { self.changeMeanwhile() }
        }
    }

    private func changeMeanwhile() {
        switch meanwhile {
        case .nothing: return
        case .commits:
            change(["first": .int(1), "second": .int(2), "key0": nil])
            change(["key1": .string("changed")])
        case .compaction:
            // It may be what fails; the backup goes on.
            try? other?.compact()
            change(["key1": .string("changed")])
        }
    }

    private func change(_ writes: [String: StoredValue?]) {
        var batch = StoreBatch()
        for (key, value) in writes.sorted(by: { $0.key < $1.key }) { batch.write(value, for: StoreKey(key)) }
        history.withLock { history in
            guard history.inFlight == nil, var next = history.states.last else { return }
            for (key, value) in writes { next[key] = value }
            do {
                _ = try store.commit(batch)
                history.states.append(next)
            } catch {
                history.inFlight = next
            }
        }
    }

    // MARK: Looking

    /// Whether anything lies where the backup was to be.
    var hasCopy: Bool { get throws { try disk.contentsIfPresent(of: Self.destination) != nil } }

    private func isPossible(_ contents: Contents) -> Bool {
        history.withLock { $0.states.contains(contents) || $0.inFlight == contents }
    }

    /// What is wrong with the store that is still open, after a backup that failed.
    func problemOfSource() -> String? {
        silently {
            do {
                let (last, inFlight) = history.withLock { ($0.states.last, $0.inFlight) }
                let found = try store.contents()
                if found != last, found != inFlight { return "the open store holds \(found)" }
                // A commit that failed may have closed it.
                guard inFlight == nil else { return nil }
                return try store.verify().isIntact ? nil : "the open store is not intact"
            } catch {
                return "the open store: \(error)"
            }
        }
    }

    /// What is wrong with a disk; `isDone` when the backup was said to be there; `thoroughly` also makes the next one.
    func problem(on disk: LyingFileSystem, isDone: Bool, thoroughly: Bool = true) -> String? {
        silently {
            do {
                let source = try SimulatedStore(on: disk, io).open()
                let found = try source.contents()
                guard isPossible(found), try source.verify().isIntact else { return "the source holds \(found)" }
                if try disk.information(at: Self.destination, followingLinks: false) != nil {
                    return try problemOfCopy(on: disk) ?? (thoroughly ? problemOfAnother(on: disk, source) : nil)
                }
                if isDone { return "the backup is lost" }
                guard thoroughly else { return nil }
                try source.backup(to: Self.destination)
                let copy = try open(Self.destination, on: disk)
                return try copy.contents() == found && copy.verify().isIntact ? nil : "the next backup is another"
            } catch {
                return "\(error)"
            }
        }
    }

    private func problemOfCopy(on disk: LyingFileSystem) throws -> String? {
        let copy = try open(Self.destination, on: disk)
        let found = try copy.contents()
        guard isPossible(found) else { return "the copy holds \(found)" }
        return try copy.verify().isIntact ? nil : "the copy is not intact"
    }

    /// What is wrong with a backup to where one is already.
    private func problemOfAnother(on disk: LyingFileSystem, _ source: DeviceStore) throws -> String? {
        let there = try disk.contents(of: Self.destination)
        do {
            try source.backup(to: Self.destination)
            return "the next backup replaces the one that is there"
        } catch let error as StoreError where error.code == .invalidConfiguration {
            return try disk.contents(of: Self.destination) == there ? nil : "the next backup changes what is there"
        }
    }

    private func open(_ path: String, on disk: LyingFileSystem) throws -> DeviceStore {
        try DeviceStore(path: path, options: SimulatedStore(on: disk, io).options())
    }
}
