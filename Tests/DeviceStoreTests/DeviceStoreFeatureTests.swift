import DeviceStoreProofs
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Testing

/// What a version makes of files that a newer one wrote: refused or only read, and never changed.
@Suite struct DeviceStoreFeatureTests {
    /// What is in the way of the file's being used as it is.
    enum State: CaseIterable, Sendable { case whole, damaged }

    /// Two commits, both of which the header says are on the disk, and of which the first is not as it was written if `state` says so.
    private func log(featuresAt offset: Int, bit: Int, _ state: State) -> [UInt8] {
        var changes = [UInt8](repeating: 0, count: 72 - 8)
        changes[offset - 8 + bit / 8] = 1 << UInt8(bit % 8)
        // The synced mark: two frames of 24 bytes behind the header.
        changes[64 - 8] = 48
        var frames = HandmadeLog.frames([[1, 1, 2, 0x61, 3, 2], [1, 1, 2, 0x62, 3, 4]])
        if state == .damaged { frames[20] ^= 1 }
        return HandmadeLog.header(changedBy: changes) + frames
    }

    private func disk(_ bytes: [UInt8], control: [UInt8]? = nil) -> LyingStore {
        var files = [LyingStore.path: bytes]
        files[LyingStore.path + ".ctl"] = control
        return LyingStore(LyingFileSystem(directories: ["/data"], files: files, isRecording: false))
    }

    private func bytes(_ lying: LyingStore, _ suffix: String = "") throws -> [UInt8] {
        let file = try lying.disk.open(LyingStore.path + suffix, .reading)
        return try file.read(at: 0, count: file.information().size)
    }

    /// What everybody who could write comes to.
    private func refusals(_ lying: LyingStore) -> [StoreError.Code?] {
        [
            code { _ = try lying.open() },
            code { _ = try lying.open { $0.damage = .readOnly } },
            code { _ = try lying.open { $0.damage = .quarantine } },
            code { _ = try DeviceStore.repair(at: LyingStore.path, options: lying.options()) },
        ]
    }

    private static let refused = [StoreError.Code?](repeating: .newerFormat, count: 4)

    @Test(arguments: 0..<32, State.allCases)
    func aFeatureThatAReaderMustKnowRefusesTheFile(bit: Int, state: State) throws {
        let log = log(featuresAt: 12, bit: bit, state)
        let lying = disk(log)
        #expect(refusals(lying) == Self.refused)
        #expect(code { _ = try lying.open { $0.isReadOnly = true } } == .newerFormat)
        #expect(try bytes(lying) == log)
        #expect(try lying.disk.contentsOfDirectory(at: "/data").allSatisfy { !$0.contains(".damaged") })
    }

    @Test(arguments: [0, 2048])
    func aFeatureThatAReaderMustKnowCountsInEitherSlot(slot: Int) throws {
        var log = log(featuresAt: 20, bit: 0, .whole)
        let newer = self.log(featuresAt: 12, bit: 0, .whole)
        log.replaceSubrange(slot..<slot + 512, with: newer[slot..<slot + 512])
        let lying = disk(log)
        #expect(refusals(lying) == Self.refused)
        #expect(try bytes(lying) == log)
    }

    @Test(arguments: 0..<32, State.allCases)
    func aFeatureThatAWriterMustKnowRefusesWhoeverCouldWrite(bit: Int, state: State) throws {
        let log = log(featuresAt: 16, bit: bit, state)
        let lying = disk(log)
        #expect(refusals(lying) == Self.refused)
        #expect(try bytes(lying) == log)
        #expect(try lying.disk.contentsOfDirectory(at: "/data").allSatisfy { !$0.contains(".damaged") })
    }

    @Test(arguments: 0..<32, State.allCases)
    func aFeatureThatAWriterMustKnowAllowsReading(bit: Int, state: State) throws {
        let log = log(featuresAt: 16, bit: bit, state)
        let lying = disk(log)
        let store = try lying.open {
            $0.isReadOnly = true
            $0.damage = .readOnly
        }
        #expect(try store.contents() == (state == .whole ? ["a": .int(1), "b": .int(2)] : ["b": .int(2)]))
        #expect(code { try store.set(.int(1), for: "c") } == .readOnly)
        #expect(try store.verify().isIntact == (state == .whole))
        #expect(try bytes(lying) == log)
    }

    @Test(arguments: 0..<32)
    func aFeatureThatMayBeIgnoredIs(bit: Int) throws {
        let lying = disk(log(featuresAt: 20, bit: bit, .whole))
        let store = try lying.open()
        try store.set(.int(3), for: "c")
        #expect(try store.contents() == ["a": .int(1), "b": .int(2), "c": .int(3)])
        #expect(try store.verify().isIntact)
        // It is as long as the file is: not in another one, of whose making it knows nothing.
        try store.flushNow()
        #expect(try features(lying) == [1 << UInt32(bit), 1 << UInt32(bit)])
        try store.compact()
        #expect(try features(lying) == [0, 0])
    }

    /// Those that may be ignored, in both slots.
    private func features(_ lying: LyingStore) throws -> [UInt32] {
        let bytes = try bytes(lying)
        return [20, 2068].map { place in
            bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// States a feature that a writer must know in the header of a log, as a newer version does while others have it open.
    private func addFeature(_ lying: LyingStore) throws {
        let file = try lying.disk.open(LyingStore.path, .writing)
        let slots = try [0, 2048].map { ($0, try file.read(at: $0, count: 512)) }.sorted { $0.1[48] < $1.1[48] }
        // Into the older one, with the next number.
        var slot = slots[1].1
        slot[48] += 1
        slot[16] = 1
        let check = slot[..<508].withUnsafeBytes { CRC32C.of($0) }
        withUnsafeBytes(of: check.littleEndian) { slot.replaceSubrange(508..<512, with: $0) }
        try file.write(slot, at: slots[0].0)
    }

    @Test(.expectsIssues(.degraded)) func aFeatureThatAWriterMustKnowIsKeptByWhoeverHasTheStoreOpen() throws {
        let lying = disk(log(featuresAt: 20, bit: 0, .whole))
        let (store, other) = (try lying.open(), try lying.open())
        try addFeature(lying)
        let header = try bytes(lying)[..<4096]
        try store.set(.int(3), for: "c")
        #expect(code { try store.flushNow() } == .newerFormat)
        #expect(try bytes(lying)[..<4096] == header)
        #expect(code { try store.set(.int(4), for: "c") } == .newerFormat)
        #expect(try store.get("c") == .int(3))
        // Nothing has failed that others would have to be told of.
        try other.set(.int(5), for: "c")
        #expect(try store.get("c") == .int(5))
        #expect(try store.verify().isIntact)
    }

    @Test func whoeverFollowsACompactionDoesNotWriteWhatANewerVersionMade() throws {
        let lying = disk(log(featuresAt: 20, bit: 0, .whole))
        let (store, newer) = (try lying.open(), try lying.open())
        try newer.set(.int(3), for: "c")
        try newer.compact()
        try addFeature(lying)
        let log = try bytes(lying)
        #expect(code { try store.set(.int(4), for: "c") } == .newerFormat)
        #expect(try store.get("c") == .int(3))
        #expect(code { try store.flushNow() } == .newerFormat)
        #expect(try bytes(lying) == log)
        #expect(try store.verify().isIntact)
    }

    /// Of another layout is known where magic and version stand, and nothing else.
    private func control(version: UInt32) -> [UInt8] {
        var page = (0..<4096).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
        page.replaceSubrange(0..<8, with: "LARDRCTL".utf8)
        withUnsafeBytes(of: version.littleEndian) { page.replaceSubrange(8..<12, with: $0) }
        return page
    }

    @Test(arguments: [2, 3, 0x100, .max] as [UInt32], State.allCases)
    func anUnknownControlFileRefusesWhoeverCouldWriteAndIsNotTouched(version: UInt32, state: State) throws {
        let (log, control) = (log(featuresAt: 20, bit: 0, state), control(version: version))
        let lying = disk(log, control: control)
        #expect(refusals(lying) == Self.refused)
        #expect(try bytes(lying) == log)
        #expect(try bytes(lying, ".ctl") == control)
    }

    @Test func anUnknownControlFileSaysNothingToWhoeverOnlyReads() throws {
        let control = control(version: 2)
        let lying = disk(log(featuresAt: 20, bit: 0, .whole), control: control)
        let store = try lying.open { $0.isReadOnly = true }
        #expect(try store.contents() == ["a": .int(1), "b": .int(2)])
        #expect(try store.verify().isIntact)
        #expect(try bytes(lying, ".ctl") == control)
    }
}
