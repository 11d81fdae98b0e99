import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Tests of backups while the store is written and compacted, and of the calls that a progress handler may make.
@Suite struct DeviceStoreBackupTests {
    private static let copyPath = "/data/copy.larder"

    /// A writer that makes numbered commits, so that the content of a store identifies its last commit.
    private final class Diary: Sendable {
        private let commits = Mutex<[Contents.Updates]>([])

        var count: Int { commits.withLock(\.count) }

        /// Makes the next commit, which sets a number and a value of varying length, and sometimes sets a large value and removes a key.
        func commit(to store: DeviceStore) throws {
            let number = count + 1
            var updates: Contents.Updates = [("number", .int(Int64(number)))]
            updates.append(("key\(number % 400)", .string(String(repeating: "x", count: 300 + number % 200))))
            if number % 50 == 0 {
                updates.append(("large\(number % 3)", .data(Data(repeating: UInt8(number % 251), count: 20_000))))
            }
            if number % 7 == 0 { updates.append(("key\((number + 100) % 400)", nil)) }
            var batch = StoreBatch()
            for (key, value) in updates {
                if let value { batch.set(value, for: StoreKey(key)) } else { batch.remove(StoreKey(key)) }
            }
            _ = try store.commit(batch)
            commits.withLock { $0.append(updates) }
        }

        /// Returns the number of the last commit in `store`.
        ///
        /// Throws an error unless the store is intact and contains exactly the entries of that commit.
        func moment(of store: DeviceStore) throws -> Int {
            let contents = try store.contents()
            guard case .int(let number)? = contents["number"] else { throw Missing() }
            var expected: Contents = [:]
            for (key, value) in commits.withLock({ $0[..<Int(number)].joined() }) { expected[key] = value }
            #expect(expected == contents)
            #expect(try store.verify().isIntact)
            return Int(number)
        }

        private struct Missing: Error {}
    }

    private let diary = Diary()
    private let disk = SimulatedFileSystem(directories: ["/data"], isRecording: false)

    private func openCopy() throws -> DeviceStore {
        try DeviceStore(path: Self.copyPath, options: StoreFixture(disk).options())
    }

    private func filled(_ io: DeviceStoreOptions.IO) throws -> DeviceStore {
        let store = try StoreFixture(disk, io: io).open()
        for _ in 0..<800 { try diary.commit(to: store) }
        return store
    }

    /// Makes a backup of a small store, during which writers wait, and of a large one, during which compaction becomes due many times.
    @Test(arguments: DeviceStoreOptions.IO.allCases, [1, 200])
    func backupIncludesCommitsMadeByProgressHandler(io: DeviceStoreOptions.IO, commits: Int) throws {
        let store = try filled(io)
        let calls = Atomic(0)
        try store.backup(to: Self.copyPath) { _ in
            calls.add(1, ordering: .relaxed)
            do { for _ in 0..<commits { try diary.commit(to: store) } } catch { Issue.record(error) }
        }
        #expect(calls.load(ordering: .relaxed) > 1)
        #expect(try diary.moment(of: openCopy()) == diary.count)
        try diary.commit(to: store)
        #expect(try diary.moment(of: store) == diary.count)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func compactionProgressHandlerCanWriteMoreThanStoreSize(io: DeviceStoreOptions.IO) throws {
        let store = try filled(io)
        try store.compact { _ in
            do { for _ in 0..<200 { try diary.commit(to: store) } } catch { Issue.record(error) }
        }
        #expect(try diary.moment(of: store) == diary.count)
        #expect(try diary.moment(of: StoreFixture(disk, io: io).open()) == diary.count)
    }

    /// Uses a store with automatic maintenance on the real file system.
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func backupCompletesWhileProgressHandlerCommits(io: DeviceStoreOptions.IO) throws {
        let directory = try TemporaryDirectory()
        let store = try DeviceStore(path: directory.path("s.larder"), options: .with(io))
        for _ in 0..<800 { try diary.commit(to: store) }
        let write: @Sendable (StoreProgress) -> Void = { [diary] _ in
            do { for _ in 0..<200 { try diary.commit(to: store) } } catch { Issue.record(error) }
        }
        try store.backup(to: directory.path("copy.larder"), progress: write)
        #expect(try diary.moment(of: DeviceStore(path: directory.path("copy.larder"))) == diary.count)
        try blockUntil("no other compaction is under way") {
            let found = code { try store.compact(progress: write) }
            #expect(found == nil || found == .busy)
            return found == nil
        }
        #expect(try diary.moment(of: store) == diary.count)
    }

    @Test func progressHandlerCannotCompactOrBackUp() throws {
        let store = try filled(.systemCalls)
        let codes = Mutex<Set<StoreError.Code?>>([])
        let ask: @Sendable (StoreProgress) -> Void = { _ in
            let found = [
                code { try store.compact() }, code { try store.backup(to: "/data/another.larder") },
            ]
            codes.withLock { $0.formUnion(found) }
        }
        try store.compact(progress: ask)
        try store.backup(to: Self.copyPath, progress: ask)
        #expect(codes.withLock(\.self) == [.busy])
        #expect(try diary.moment(of: openCopy()) == diary.count)
        #expect(try disk.contentsOfDirectory(at: "/data").filter { $0.hasPrefix("another") }.isEmpty)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func backupRestartsWhenAnotherProcessCompacts(io: DeviceStoreOptions.IO) throws {
        let store = try filled(io)
        let other = try StoreFixture(disk, io: io).open()
        let calls = Atomic(0)
        let compactions = Atomic(0)
        try store.backup(to: Self.copyPath) { progress in
            calls.add(1, ordering: .relaxed)
            do {
                try diary.commit(to: other)
                guard compactions.load(ordering: .relaxed) < 3 else { return }
                compactions.add(1, ordering: .relaxed)
                try other.compact()
                try diary.commit(to: other)
                // From here on, the index describes a different file than the one that is copied.
                #expect(try store.get("number") == .int(Int64(diary.count)))
            } catch {
                Issue.record(error)
            }
        }
        #expect(calls.load(ordering: .relaxed) > 3)
        #expect(try diary.moment(of: openCopy()) > 803)
        #expect(try diary.moment(of: store) == diary.count)
        #expect(try diary.moment(of: other) == diary.count)
    }

    @Test func backupFailsWhenOtherProcessesKeepCompacting() throws {
        let store = try StoreFixture(disk).open()
        try diary.commit(to: store)
        let other = try StoreFixture(disk).open()
        let error = #expect(throws: StoreError.self) {
            try store.backup(to: Self.copyPath) { _ in
                do {
                    try other.compact()
                    try diary.commit(to: other)
                    #expect(try store.count() > 0)
                } catch {
                    Issue.record(error)
                }
            }
        }
        #expect(error?.code == .busy)
        #expect(try disk.contentsOfDirectory(at: "/data").filter { $0.hasPrefix("copy") }.isEmpty)
        #expect(try diary.moment(of: store) == diary.count)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func backupDuringWritesIsConsistentSnapshot(io: DeviceStoreOptions.IO) throws {
        let directory = try TemporaryDirectory()
        let store = try DeviceStore(path: directory.path("s.larder"), options: .with(io))
        for _ in 0..<800 { try diary.commit(to: store) }
        let isOver = Atomic(false)
        let writing = DispatchGroup()
        DispatchQueue.global().async(group: writing) { [diary] in
            do { while !isOver.load(ordering: .relaxed) { try diary.commit(to: store) } } catch { Issue.record(error) }
        }
        var moments: [Int] = []
        defer {
            isOver.store(true, ordering: .relaxed)
            writing.wait()
        }
        for number in 0..<5 {
            let before = diary.count
            try store.backup(to: directory.path("copy\(number).larder"))
            try blockUntil("something is written") { diary.count > before }
            moments.append(before)
        }
        isOver.store(true, ordering: .relaxed)
        writing.wait()
        for (number, before) in moments.enumerated() {
            let copy = try DeviceStore(path: directory.path("copy\(number).larder"))
            #expect(try diary.moment(of: copy) >= before)
        }
        #expect(try diary.moment(of: store) == diary.count)
    }
}

extension Contents {
    /// The keys and values that a commit sets, where `nil` removes the key.
    fileprivate typealias Updates = [(key: String, value: StoredValue?)]
}
