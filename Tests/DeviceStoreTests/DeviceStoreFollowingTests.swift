import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTesting
import Synchronization
import Testing

/// Tests of the events that an observer in another process receives, in particular for commits made during a compaction.
@Suite struct DeviceStoreFollowingTests {
    /// A compaction with concurrent commits.
    ///
    /// Its snapshot contains some of the commits, and the others are copied afterwards.
    private struct Scene {
        let fixture: StoreFixture
        let writer: DeviceStore
        let reader: DeviceStore
        let seen = Seen()
        let observation: StoreObservation
        private let meddled: MeddledFileSystem

        init(_ io: DeviceStoreOptions.IO) throws {
            let fixture = StoreFixture(io: io)
            let meddled = MeddledFileSystem(.syncing, StoreFixture.path + LogFormat.newSuffix, on: fixture.disk)
            writer = try fixture.open { $0.environment.fileSystem = meddled }
            reader = try fixture.open()
            observation = reader.observe(prefix: "") { [seen] in seen.add($0) }
            (self.fixture, self.meddled) = (fixture, meddled)
        }

        /// Commits each of `numbers` under the key "a".
        func count(_ numbers: ClosedRange<Int>) throws {
            for number in numbers { try writer.set(.int(Int64(number)), for: "a") }
        }

        /// Compacts the store, and calls `body` when the snapshot is complete and its sync begins.
        func compact(_ body: @escaping @Sendable (Scene) throws -> Void) throws {
            meddled.once { #expect(throws: Never.self) { try body(self) } }
            try writer.compact()
        }
    }

    private static func change(_ old: Int64, _ new: Int64) -> StoreEvent {
        .change(StoreChange(entries: [.init(key: "a", old: .int(old), new: .int(new))], origin: .anotherProcess))
    }

    /// Makes a few commits, which are copied while writers wait, and many commits, which are copied before that.
    @Test(arguments: DeviceStoreOptions.IO.allCases, [10, 1_000])
    func commitsDuringCompactionAreDeliveredOnceInOrder(io: DeviceStoreOptions.IO, count: Int) throws {
        let scene = try Scene(io)
        try scene.count(0...100)
        #expect(try scene.reader.get("a") == .int(100))
        let before = scene.seen.all.count
        try scene.compact { try $0.count(101...100 + count) }
        try scene.count(101 + count...110 + count)
        #expect(try scene.reader.get("a") == .int(Int64(110 + count)))
        #expect(
            scene.seen.all.dropFirst(before) == (101...Int64(110 + count)).map { Self.change($0 - 1, $0) }[...]
        )
        #expect(try scene.reader.verify().isIntact)
    }

    /// Makes another commit each time the reader checks for commits.
    @Test(arguments: DeviceStoreOptions.IO.allCases, Reading.allCases)
    func readReturnsWhileAnotherProcessCommitsContinuously(io: DeviceStoreOptions.IO, reading: Reading) throws {
        let fixture = StoreFixture(io: io)
        let meddled = MeddledFileSystem(.reading, StoreFixture.path, on: fixture.disk)
        let writer = try fixture.open()
        let reader = try fixture.open { $0.environment.fileSystem = meddled }
        for key in ["a", "b", "large"] as [StoreKey] { try writer.set(0, for: key) }
        let commits = Atomic<Int64>(0)
        @Sendable func commit() {
            let number = commits.wrappingAdd(1, ordering: .relaxed).newValue
            // Otherwise, a reader that repeats its check would never return.
            guard number < 100 else { return }
            #expect(throws: Never.self) { try writer.set(.int(number), for: "a") }
            meddled.once(commit)
        }
        try writer.set(.string(String(repeating: "x", count: 100_000)), for: "large")
        let known = try writer.revision
        meddled.once(commit)
        try reading.expectCurrent(reader, known)
        meddled.once {}
        #expect(commits.load(ordering: .relaxed) < 10)
        #expect(try reader.verify().isIntact)
    }

    /// The read operations that include commits made by other processes.
    enum Reading: CaseIterable {
        case value, absence, text, count, keys, entries, revision, statistics

        func expectCurrent(_ store: DeviceStore, _ revision: UInt64) throws {
            switch self {
            case .value: #expect(try store.get("b") == 0)
            case .absence: #expect(try store.get("none") == nil)
            case .text: #expect(try store.get("large") == .string(String(repeating: "x", count: 100_000)))
            case .count: #expect(try store.count() == 3)
            case .keys: #expect(try store.keys() == ["a", "b", "large"])
            case .entries: #expect(try store.entries(prefix: "b").map(\.value) == [0])
            case .revision: #expect(try store.revision >= revision)
            case .statistics: #expect(try store.statistics().entries == 3)
            }
        }
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func observersReceiveMissedEventBeforeLaterCommits(io: DeviceStoreOptions.IO) throws {
        let scene = try Scene(io)
        try scene.count(0...1)
        #expect(try scene.reader.get("a") == .int(1))
        let before = scene.seen.all.count
        try scene.compact { try $0.count(2...3) }
        try scene.count(4...5)
        try scene.compact { try $0.count(6...7) }
        try scene.count(8...9)
        #expect(try scene.reader.get("a") == .int(9))
        let expected = [
            Self.change(1, 2), Self.change(2, 3), .missed(1), Self.change(7, 8), Self.change(8, 9),
        ]
        #expect(Array(scene.seen.all.dropFirst(before)) == expected)
        #expect(try scene.reader.verify().isIntact)
    }

    /// Makes each system call in turn fail while a commit by another process is read.
    ///
    /// The next read continues from there.
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func commitIsDeliveredExactlyOnceAfterFailedRead(io: DeviceStoreOptions.IO) throws {
        var (index, isReached, missing) = (0, true, 0)
        while isReached {
            let scene = try Scene(io)
            try scene.count(0...100)
            try scene.writer.set(.data(Data(repeating: 1, count: 100_000)), for: "large")
            #expect(try scene.reader.get("a") == .int(100))
            let before = scene.seen.all.count
            try scene.count(101...200)
            try scene.writer.set(.data(Data(repeating: 2, count: 100_000)), for: "large")
            try scene.count(201...210)
            try scene.compact { try $0.count(211...220) }
            try scene.count(221...230)
            let failing = scene.fixture.disk.operationCount + index
            scene.fixture.disk.fail(at: failing, errno: 5)
            _ = try? scene.reader.get("a")
            isReached = scene.fixture.disk.operationCount > failing
            scene.fixture.disk.stopFailing()
            #expect(try scene.reader.get("a") == .int(230))
            let told = scene.seen.all.dropFirst(before)
            #expect(scene.seen.values(of: "a").suffix(130) == (101...230).map { .int($0) }[...], "call \(index)")
            #expect(told.count == 131, "call \(index)")
            missing += scene.seen.missed
            #expect(try scene.reader.verify().isIntact)
            index += 1
        }
        #expect(index > 5)
        // If the replaced large value cannot be read, the commit is reported as missed.
        #expect(missing == 1)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func commitReplacingCorruptValueIsReportedAsMissed(io: DeviceStoreOptions.IO) throws {
        let scene = try Scene(io)
        try scene.count(0...0)
        try scene.writer.set(.data(Data(repeating: 0xAB, count: 100_000)), for: "large")
        #expect(try scene.reader.get("a") == .int(0))
        let before = scene.seen.all.count
        let log = try scene.fixture.disk.open(StoreFixture.path, .writing)
        let place = try #require(try log.read(at: 0, count: 100_000).lastIndex(of: 0xAB))
        try log.write([0xAC], at: place)
        // Compaction is due by then, and detects the damage too.
        try silently {
            try scene.writer.set(.int(1), for: "large")
            try scene.count(1...1)
        }
        #expect(try scene.reader.get("a") == .int(1))
        #expect(try scene.reader.get("large") == .int(1))
        #expect(Array(scene.seen.all.dropFirst(before)) == [.missed(1), Self.change(0, 1)])
        // The commit is no longer needed, but its damage is reported.
        #expect(try scene.reader.verify().problems.contains { $0.offset.map { $0 <= place } == true })
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func observersReceiveMissedEventWhenLogIsUnreadable(io: DeviceStoreOptions.IO) throws {
        let scene = try Scene(io)
        try scene.count(0...1)
        #expect(try scene.reader.get("a") == .int(1))
        let before = scene.seen.all.count
        try scene.count(2...4)
        try scene.compact { scene in
            // One of three commits that the reader has not read when they have been copied.
            let log = try scene.fixture.disk.open(StoreFixture.path, .writing)
            let end = try log.read(at: 0, count: 8192).lastIndex { $0 != 0 } ?? 0
            try log.write([0xFF], at: end / 8 * 8 - 24 + 4)
            try scene.count(5...6)
        }
        try scene.count(7...8)
        #expect(try scene.reader.get("a") == .int(8))
        #expect(scene.seen.missed == 1)
        let told = Array(scene.seen.all.dropFirst(before))
        #expect(told.suffix(3) == [.missed(1), Self.change(6, 7), Self.change(7, 8)])
        #expect(try scene.reader.verify().isIntact)
    }

    /// Checks that commits made by other processes are delivered if a sync reads them.
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func commitReadDuringSyncIsDeliveredToObservers(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let meddled = MeddledFileSystem(.syncing, StoreFixture.path, on: fixture.disk)
        let writer = try fixture.open()
        let reader = try fixture.open { $0.environment.fileSystem = meddled }
        let seen = Seen()
        let observation = reader.observe(prefix: "") { seen.add($0) }
        try writer.set(.int(1), for: "a")
        meddled.once { #expect(throws: Never.self) { try writer.set(.int(2), for: "a") } }
        try reader.flushNow()
        #expect(seen.values(of: "a") == [.int(1), .int(2)])
        observation.cancel()
        #expect(try reader.verify().isIntact)
    }

    /// Checks the observers in two processes, for which an expired value is absent whichever process wrote it.
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func observersReceiveNoOldValueForExpiredEntry(io: DeviceStoreOptions.IO) throws {
        let (fixture, time) = (StoreFixture(io: io), ManualTimeSource())
        let stores = try (0..<2).map { _ in try fixture.open { $0.environment.time = time } }
        let seen = stores.map { _ in Seen() }
        let observations = zip(stores, seen).map { store, seen in store.observe(prefix: "") { seen.add($0) } }
        let expiry = Date(timeIntervalSinceReferenceDate: 100)
        let large = StoredValue.data(Data(repeating: 1, count: 100_000))
        for key in ["same", "other", "large", "removed", "kept"] as [StoreKey] {
            try stores[0].set(key == "large" ? large : 1, for: key, until: key == "kept" ? expiry + 9 : expiry)
        }
        #expect(try stores[1].get("kept") == 1)
        time.setWallClock(to: expiry)
        try stores[0].set(1, for: "same")
        try stores[0].set(2, for: "other")
        try stores[0].set(large, for: "large")
        // This removes expired entries.
        try stores[0].compact()
        try stores[0].set(2, for: "kept")
        #expect(try stores[1].get("kept") == 2)
        let entries = seen.map { $0.changes.flatMap(\.entries) }
        #expect(entries[0] == entries[1])
        #expect(entries[0].suffix(4).map(\.old) == [nil, nil, nil, 1])
        for observation in observations { observation.cancel() }
        #expect(try stores[1].verify().isIntact)
    }
}
