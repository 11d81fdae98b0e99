import Foundation
import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import LarderTesting
import Synchronization
import Testing

@Suite struct SharedPreferencesStoreTests {
    let folder: TemporaryDirectory
    let path: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("p.xml")
    }

    private static let header = "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n"
    private func text(_ path: String? = nil) throws -> String {
        try String(contentsOfFile: path ?? self.path, encoding: .utf8)
    }
    private func write(_ lines: String, to path: String? = nil) throws {
        try Data("\(Self.header)<map>\n\(lines)</map>\n".utf8).write(to: URL(fileURLWithPath: path ?? self.path))
    }
    /// Opens the file as another process would.
    private func other() throws -> SharedPreferencesStore { try SharedPreferencesStore(path: path, on: .local) }
    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func fileInUnsupportedEncodingIsRejectedAndNotChanged() throws {
        let text = "\(Self.header)<map><string name=\"city\">São Paulo</string></map>".replacing(
            "utf-8",
            with: "UTF-16"
        )
        let bytes = Data([0xFF, 0xFE]) + (try #require(text.data(using: .utf16LittleEndian)))
        try bytes.write(to: URL(fileURLWithPath: path))
        for attempt in [
            { _ = try SharedPreferencesStore(path: path, whenDamaged: .quarantine) },
            { _ = try SharedPreferencesStore.repair(path: path) },
        ] {
            let error = #expect(throws: StoreError.self) { try attempt() }
            #expect(error?.code == .invalidConfiguration && error?.message.contains("UTF-16") == true)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        #expect(try names().allSatisfy { !$0.contains("damaged") })
    }

    private static let document = """
        <?xml version='1.0' encoding='utf-8' standalone='yes' ?>
        <map>
            <boolean name="Onboarding.done" value="true" />
            <string name="city">São Paulo's</string>
            <string name="empty"></string>
            <long name="installed" value="1700000000000" />
            <int name="launches" value="3" />
            <set name="none" />
            <double name="pi" value="3.14159265359" />
            <string name="signs&quot;&amp;&lt;&gt;&#0;&#9;">&quot;&amp;&lt;&gt;&#10;&#13;&#31;\u{7F}</string>
            <set name="tags">
                <string>a &amp; b</string>
                <string>line1&#10;line2</string>
            </set>
            <float name="volume" value="0.75" />
        </map>

        """

    @Test func writtenFileHasSameBytesAsOnAndroid() throws {
        var batch = StoreBatch()
        batch.set(true, for: "Onboarding.done")
        batch.set("São Paulo's", for: "city")
        batch.set("", for: "empty")
        batch.set(1_700_000_000_000, for: "installed")
        batch.set(3, for: "launches")
        batch.set([], for: "none")
        batch.set(3.14159265359, for: "pi")
        batch.set("\"&<>\n\r\u{1F}\u{7F}", for: "signs\"&<>\0\t")
        batch.set(["line1\nline2", "a & b"], for: "tags")
        batch.set(.float(0.75), for: "volume")
        let store = try SharedPreferencesStore(path: path)
        _ = try store.commit(batch)
        #expect(try text() == Self.document)
        #expect(try store.get("tags") == ["a & b", "line1\nline2"])
        #expect(try other().entries() == store.entries())
        for key in try store.keys() { try store.remove(key) }
        #expect(try text() == Self.header + "<map />\n")
        #expect(try other().verify() == StoreVerification(checkedEntries: 0))
    }

    @Test func asyncCommitReportsIssuesToTaskIssueHandler() async throws {
        let store = try SharedPreferencesStore(path: path)
        try write("<int name=\"bad\" value=\"x\" /><int name=\"good\" value=\"1\" />")
        let codes = Mutex<[LarderIssue.Code]>([])
        await withIssueHandler { issue in
            codes.withLock { $0.append(issue.code) }
        } operation: {
            _ = await #expect(throws: StoreError.self) { try await store.set(2, for: "good", durability: .buffered) }
        }
        #expect(codes.withLock { $0 } == [.damaged])
        #expect(try store.get("good") == 1)
    }

    @Test func integerEntryKeepsTypeIfValueFits() throws {
        try write(
            "<long name=\"a\" value=\"1\" /><long name=\"big\" value=\"1700000000000\" /><int name=\"b\" value=\"1\" />"
        )
        let store = try SharedPreferencesStore(path: path)
        try store.set(2, for: "a")
        try store.set(2, for: "big")
        try store.set(2, for: "b")
        #expect(try text().contains("<long name=\"a\" value=\"2\" />"))
        #expect(try text().contains("<long name=\"big\" value=\"2\" />"))
        #expect(try text().contains("<int name=\"b\" value=\"2\" />"))
        try store.set(.int(1 << 40), for: "b")
        try store.set("x", for: "a")
        try store.set(3, for: "a")
        #expect(try text().contains("<long name=\"b\" value=\"1099511627776\" />"))
        #expect(try text().contains("<int name=\"a\" value=\"3\" />"))
        #expect(try store.verify().isIntact)
    }

    @Test func floatAndDoubleEntriesKeepTypeIfValueFits() throws {
        try write("<float name=\"f\" value=\"0.5\" /><double name=\"d\" value=\"0.1\" />")
        let store = try SharedPreferencesStore(path: path)
        try store.set(0.75, for: "f")
        try store.set(.float(0.5), for: "d")
        #expect(try store.get("f") == .float(0.75))
        #expect(try store.get("d") == 0.5)
        #expect(try text().contains("<float name=\"f\" value=\"0.75\" />"))
        #expect(try text().contains("<double name=\"d\" value=\"0.5\" />"))
        try store.set(0.1, for: "f")
        #expect(try text().contains("<double name=\"f\" value=\"0.1\" />"))
        #expect(try other().verify().isIntact)
    }

    @Test(
        arguments: [
            .unsigned(.max), .date(Date()), .data(Data()), .url("a:b"), ["k": 1], [1], ["a", "a"], [.null], .null,
            [["a"]],
        ] as [StoredValue]
    )
    func valueUnsupportedByAndroidIsRejectedWithKey(value: StoredValue) throws {
        let store = try SharedPreferencesStore(path: path)
        try store.set(1, for: "kept")
        let before = try text()
        let error = #expect(throws: StoreError.self) { try store.set(value, for: "refused.key") }
        #expect(error?.code == .unsupportedValue)
        #expect(error?.key == "refused.key")
        #expect(error?.message.contains("refused.key") == true)
        #expect(throws: StoreError.self) { try store.validate(value, for: "refused.key") }
        #expect(try text() == before)
        #expect(try store.verify().isIntact)
    }

    @Test func readingSharedPreferencesDoesNotChangeFolder() throws {
        try write("<int name=\"old\" value=\"1\" />", to: path + ".bak")
        try Data("<map><int name=\"ne".utf8).write(to: URL(fileURLWithPath: path))
        let store = try SharedPreferencesStore(path: path)
        #expect(try store.entries() == [StoreEntry(key: "old", value: 1)])
        #expect(try store.verify() == StoreVerification(checkedEntries: 1))
        try store.flush()
        #expect(try names() == ["p.xml", "p.xml.bak"])
        #expect(try text() == "<map><int name=\"ne")
        #expect(throws: StoreError.self) { try store.set(.date(Date()), for: "a") }
        #expect(try names() == ["p.xml", "p.xml.bak"])
    }

    @Test func commitReadsAndRemovesBackupFile() throws {
        try write("<int name=\"old\" value=\"1\" />", to: path + ".bak")
        try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: path + ".bak")
        let store = try SharedPreferencesStore(path: path)
        try store.set(2, for: "new")
        #expect(try names() == ["p.xml", "p.xml.lock"])
        #expect(try other().keys() == ["new", "old"])
        #expect(try LocalFileSystem().information(at: path)?.permissions == 0o660)
        try store.set(3, for: "new")
        #expect(try LocalFileSystem().information(at: path)?.permissions == 0o660)
        #expect(try store.verify().isIntact)
    }

    @Test func unreadableEntriesAreReportedAndNothingIsWritten() throws {
        try write("<int name=\"good\" value=\"1\" /><int name=\"bad\" value=\"x\" /><odd name=\"odd\" />")
        let before = try text()
        let collected = Issues()
        let store = try withIssueHandler({ collected.add($0) }) { try SharedPreferencesStore(path: path) }
        #expect(collected.all.map(\.key) == ["bad", "odd"])
        #expect(try store.entries() == [StoreEntry(key: "good", value: 1)])
        #expect(try store.verify().problems.map(\.key) == ["bad", "odd"])
        let error = #expect(throws: StoreError.self) { try store.set(2, for: "good") }
        #expect(error?.code == .damaged && error?.key == "bad" && error?.offset != nil && error?.path == path)
        #expect(try text() == before)
        #expect(collected.all.count == 2)

        let repair = try SharedPreferencesStore.repair(path: path)
        #expect(repair.copiedTo == path + ".damaged-1" && repair.recoveredEntries == 1)
        #expect(repair.problems.map(\.key) == ["bad", "odd"])
        #expect(try text(path + ".damaged-1") == before)
        try store.set(2, for: "good")
        #expect(try store.verify().isIntact)
    }

    @Test func truncatedFileIsRejectedUntilRepaired() throws {
        let text = Self.document
        let cut = String(text.prefix(text.count - 30)).replacingOccurrences(of: "<long", with: "<\"long")
        try Data(cut.utf8).write(to: URL(fileURLWithPath: path))
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try SharedPreferencesStore(path: path, on: .local) }
            #expect(error?.code == .damaged && error?.offset != nil)
            #expect(error?.message.contains("SharedPreferencesStore.repair") == true)
        }
        #expect(try self.text() == cut)
        let collected = Issues()
        let store = try withIssueHandler({ collected.add($0) }) {
            try SharedPreferencesStore(path: path, whenDamaged: .quarantine, on: .local)
        }
        #expect(collected.all.map(\.code) == [.damaged])
        #expect(
            try store.keys() == [
                "Onboarding.done", "city", "empty", "launches", "none", "pi", "signs\"&<>\0\t", "tags",
            ]
        )
        #expect(try self.text(path + ".damaged-1") == cut)
        #expect(try store.verify().isIntact)
    }

    @Test func openingWithQuarantineRepairsUnreadableEntries() throws {
        try write("<int name=\"good\" value=\"1\" /><int name=\"bad\" value=\"x\" />")
        try withIssueHandler({ _ in }) {
            let store = try SharedPreferencesStore(path: path, whenDamaged: .quarantine, on: .local)
            try store.set(2, for: "good")
            #expect(try store.verify().isIntact)
        }
        #expect(try SharedPreferencesStore.repair(path: path).copiedTo == nil)
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(try SharedPreferencesStore.repair(path: path).problems.count == 1)
        #expect(try SharedPreferencesStore.repair(path: folder.path("none.xml")).copiedTo == nil)
    }

    @Test func readableButUnwritableEntriesAreNeverDropped() throws {
        try write("<byte-array name=\"bytes\" num=\"1\">00</byte-array><int name=\"a\" value=\"1\" />")
        let store = try SharedPreferencesStore(path: path)
        #expect(try store.get("bytes") == .data(Data([0])))
        let error = #expect(throws: StoreError.self) { try store.set(2, for: "a") }
        #expect(error?.code == .unsupportedValue && error?.key == "bytes")
        #expect(try other().entries().count == 2)
        try store.remove("bytes")
        try store.set(2, for: "a")
        #expect(try other().entries() == [StoreEntry(key: "a", value: 2)])
        #expect(try store.verify().isIntact)
        try write("<byte-array name=\"bytes\" num=\"1\">00</byte-array><int name=\"b\" value=\"x\" />")
        #expect(try SharedPreferencesStore.repair(path: path).problems.map(\.key) == ["b", "bytes"])
    }

    @Test func changesByAnotherProgramAreVisibleToNextRead() throws {
        let store = try SharedPreferencesStore(path: path)
        try store.set(1, for: "a")
        let observed = Observed(store)
        try write("<int name=\"a\" value=\"5\" />")
        #expect(try store.get("a") == 5)
        try store.set(6, for: "b")
        #expect(
            observed.events.first
                == .change(StoreChange(entries: [.init(key: "a", old: 1, new: 5)], origin: .anotherProcess))
        )
        #expect(try other().entries().map(\.value) == [5, 6])
        #expect(store.inspectionKind == "shared preferences" && store.inspectionName == store.path)
        #expect(try store.verify().isIntact)
    }
}
