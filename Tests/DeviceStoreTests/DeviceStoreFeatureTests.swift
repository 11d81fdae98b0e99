import DeviceStoreProofs
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Testing

/// Tests that files of a newer version are refused or opened read-only, and never changed.
@Suite struct DeviceStoreFeatureTests {
    enum State: CaseIterable, Sendable { case whole, damaged }

    /// Returns a log of two commits, both of which are synced according to the header.
    ///
    /// The first commit is corrupt if `state` is `damaged`.
    private func log(featuresAt offset: Int, bit: Int, _ state: State) -> [UInt8] {
        var changes = [UInt8](repeating: 0, count: 72 - 8)
        changes[offset - 8 + bit / 8] = 1 << UInt8(bit % 8)
        // The synced mark, which covers two frames of 24 bytes after the header.
        changes[64 - 8] = 48
        var frames = HandmadeLog.frames([[1, 1, 2, 0x61, 3, 2], [1, 1, 2, 0x62, 3, 4]])
        if state == .damaged { frames[20] ^= 1 }
        return HandmadeLog.header(changedBy: changes) + frames
    }

    private func disk(_ bytes: [UInt8], control: [UInt8]? = nil) -> StoreFixture {
        var files = [StoreFixture.path: bytes]
        files[StoreFixture.path + ".ctl"] = control
        return StoreFixture(SimulatedFileSystem(directories: ["/data"], files: files, isRecording: false))
    }

    private func bytes(_ fixture: StoreFixture, _ suffix: String = "") throws -> [UInt8] {
        let file = try fixture.disk.open(StoreFixture.path + suffix, .reading)
        return try file.read(at: 0, count: file.information().size)
    }

    /// Returns the error codes of all calls that would write.
    private func refusals(_ fixture: StoreFixture) -> [StoreError.Code?] {
        [
            code { _ = try fixture.open() },
            code { _ = try fixture.open { $0.damage = .readOnly } },
            code { _ = try fixture.open { $0.damage = .quarantine } },
            code { _ = try DeviceStore.repair(at: StoreFixture.path, options: fixture.options()) },
        ]
    }

    private static let refused = [StoreError.Code?](repeating: .newerFormat, count: 4)

    @Test(arguments: 0..<32, State.allCases)
    func logWithUnknownReadFeatureIsRejected(bit: Int, state: State) throws {
        let log = log(featuresAt: 12, bit: bit, state)
        let fixture = disk(log)
        #expect(refusals(fixture) == Self.refused)
        #expect(code { _ = try fixture.open { $0.isReadOnly = true } } == .newerFormat)
        #expect(try bytes(fixture) == log)
        #expect(try fixture.disk.contentsOfDirectory(at: "/data").allSatisfy { !$0.contains(".damaged") })
    }

    @Test(arguments: [0, 2048])
    func unknownReadFeatureInEitherHeaderSlotIsRejected(slot: Int) throws {
        var log = log(featuresAt: 20, bit: 0, .whole)
        let newer = self.log(featuresAt: 12, bit: 0, .whole)
        log.replaceSubrange(slot..<slot + 512, with: newer[slot..<slot + 512])
        let fixture = disk(log)
        #expect(refusals(fixture) == Self.refused)
        #expect(try bytes(fixture) == log)
    }

    @Test(arguments: 0..<32, State.allCases)
    func logWithUnknownWriteFeatureCannotBeOpenedForWriting(bit: Int, state: State) throws {
        let log = log(featuresAt: 16, bit: bit, state)
        let fixture = disk(log)
        #expect(refusals(fixture) == Self.refused)
        #expect(try bytes(fixture) == log)
        #expect(try fixture.disk.contentsOfDirectory(at: "/data").allSatisfy { !$0.contains(".damaged") })
    }

    @Test(arguments: 0..<32, State.allCases)
    func logWithUnknownWriteFeatureCanBeRead(bit: Int, state: State) throws {
        let log = log(featuresAt: 16, bit: bit, state)
        let fixture = disk(log)
        let store = try fixture.open {
            $0.isReadOnly = true
            $0.damage = .readOnly
        }
        #expect(try store.contents() == (state == .whole ? ["a": .int(1), "b": .int(2)] : ["b": .int(2)]))
        #expect(code { try store.set(.int(1), for: "c") } == .readOnly)
        #expect(try store.verify().isIntact == (state == .whole))
        #expect(try bytes(fixture) == log)
    }

    @Test(arguments: 0..<32)
    func commitsPreserveIgnorableFeatures(bit: Int) throws {
        let fixture = disk(log(featuresAt: 20, bit: bit, .whole))
        let store = try fixture.open()
        try store.set(.int(3), for: "c")
        #expect(try store.contents() == ["a": .int(1), "b": .int(2), "c": .int(3)])
        #expect(try store.verify().isIntact)
        // The features are preserved as long as the file exists, but not when another file replaces it, because nothing is known about that
        // file.
        try store.flushNow()
        #expect(try features(fixture) == [1 << UInt32(bit), 1 << UInt32(bit)])
        try store.compact()
        #expect(try features(fixture) == [0, 0])
    }

    /// Returns the features that readers may ignore, from both slots of the header.
    private func features(_ fixture: StoreFixture) throws -> [UInt32] {
        let bytes = try bytes(fixture)
        return [20, 2068].map { place in
            bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// Sets an unknown write feature in the header of a log, as a newer version might do while other processes have the log open.
    private func addFeature(_ fixture: StoreFixture) throws {
        let file = try fixture.disk.open(StoreFixture.path, .writing)
        let slots = try [0, 2048].map { ($0, try file.read(at: $0, count: 512)) }.sorted { $0.1[48] < $1.1[48] }
        // Written to the older slot, with the next slot number.
        var slot = slots[1].1
        slot[48] += 1
        slot[16] = 1
        let check = slot[..<508].withUnsafeBytes { CRC32C.of($0) }
        withUnsafeBytes(of: check.littleEndian) { slot.replaceSubrange(508..<512, with: $0) }
        try file.write(slot, at: slots[0].0)
    }

    @Test(.expectsIssues(.degraded)) func openStoreDoesNotOverwriteHeaderWithUnknownWriteFeature() throws {
        let fixture = disk(log(featuresAt: 20, bit: 0, .whole))
        let (store, other) = (try fixture.open(), try fixture.open())
        try addFeature(fixture)
        let header = try bytes(fixture)[..<4096]
        try store.set(.int(3), for: "c")
        #expect(code { try store.flushNow() } == .newerFormat)
        #expect(try bytes(fixture)[..<4096] == header)
        #expect(code { try store.set(.int(4), for: "c") } == .newerFormat)
        #expect(try store.get("c") == .int(3))
        // Other processes need no failure notification.
        try other.set(.int(5), for: "c")
        #expect(try store.get("c") == .int(5))
        #expect(try store.verify().isIntact)
    }

    @Test func storeStopsWritingAfterNewerVersionCompactsLog() throws {
        let fixture = disk(log(featuresAt: 20, bit: 0, .whole))
        let (store, newer) = (try fixture.open(), try fixture.open())
        try newer.set(.int(3), for: "c")
        try newer.compact()
        try addFeature(fixture)
        let log = try bytes(fixture)
        #expect(code { try store.set(.int(4), for: "c") } == .newerFormat)
        #expect(try store.get("c") == .int(3))
        #expect(code { try store.flushNow() } == .newerFormat)
        #expect(try bytes(fixture) == log)
        #expect(try store.verify().isIntact)
    }

    /// Returns a control file of an unknown version, in which only the magic number and the version are valid.
    private func control(version: UInt32) -> [UInt8] {
        var page = (0..<4096).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
        page.replaceSubrange(0..<8, with: "LARDRCTL".utf8)
        withUnsafeBytes(of: version.littleEndian) { page.replaceSubrange(8..<12, with: $0) }
        return page
    }

    @Test(arguments: [2, 3, 0x100, .max] as [UInt32], State.allCases)
    func controlFileWithUnknownVersionIsNotOpenedForWriting(version: UInt32, state: State) throws {
        let (log, control) = (log(featuresAt: 20, bit: 0, state), control(version: version))
        let fixture = disk(log, control: control)
        #expect(refusals(fixture) == Self.refused)
        #expect(try bytes(fixture) == log)
        #expect(try bytes(fixture, ".ctl") == control)
    }

    @Test func readOnlyStoreIgnoresControlFileWithUnknownVersion() throws {
        let control = control(version: 2)
        let fixture = disk(log(featuresAt: 20, bit: 0, .whole), control: control)
        let store = try fixture.open { $0.isReadOnly = true }
        #expect(try store.contents() == ["a": .int(1), "b": .int(2)])
        #expect(try store.verify().isIntact)
        #expect(try bytes(fixture, ".ctl") == control)
    }
}
