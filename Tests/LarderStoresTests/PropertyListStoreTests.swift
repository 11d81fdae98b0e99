import Foundation
import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import Testing

@Suite struct PropertyListStoreTests {
    let folder: TemporaryDirectory
    let path: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("sub/s.plist")
    }

    private func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }
    private func write(_ text: String) throws {
        try FileManager.default.createDirectory(atPath: folder.path("sub"), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
    /// Opens the file as another process would, without sharing memory with `store`.
    private func other() throws -> PropertyListStore { try PropertyListStore(path: path, on: .local) }

    @Test func readingMissingFileCreatesNoFile() throws {
        let store = try PropertyListStore(path: path)
        #expect(try store.entries().isEmpty)
        try store.flush()
        #expect(!FileManager.default.fileExists(atPath: folder.path("sub")))
        #expect(try store.verify().isIntact)
    }

    @Test func firstCommitCreatesPrivateFolderAndFile() throws {
        let store = try PropertyListStore(path: path)
        try store.set(1, for: "a")
        let file = try LocalFileSystem().information(at: path)
        let directory = try LocalFileSystem().information(at: folder.path("sub"))
        #expect(file?.permissions == 0o600)
        #expect(directory?.permissions == 0o700)
        #expect(try store.verify() == StoreVerification(checkedEntries: 1))
    }

    @Test func foundationReadsFileOfPropertyListStore() throws {
        try PropertyListStore(path: path).set(3.5, for: "Double.pi")
        try PropertyListStore(path: path).set(["a", 1, true], for: "list")
        let list = try PropertyListSerialization.propertyList(from: bytes(), format: nil) as? [String: Any]
        #expect(list?["Double.pi"] as? Double == 3.5)
        #expect((list?["list"] as? [Any])?.count == 3)
    }

    @Test func existingFileKeepsEncoding() throws {
        try PropertyListStore(path: path, encoding: .binary, on: .local).set(1, for: "a")
        try PropertyListStore(path: path, encoding: .xml, on: .local).set(2, for: "a")
        #expect(try bytes().starts(with: Data("bplist00".utf8)))
    }

    @Test func instancesWithSamePathShareState() throws {
        let first = try PropertyListStore(path: path)
        try first.set(0, for: "z")
        let second = try PropertyListStore(path: folder.path("sub/../sub/s.plist"))
        let observed = Observed(first)
        try second.set(1, for: "a")
        #expect(try first.get("a") == 1)
        #expect(
            observed.events == [
                .change(StoreChange(entries: [.init(key: "a", old: nil, new: 1)], origin: .thisProcess))
            ]
        )
    }

    @Test func commitsByAnotherProcessAreReadAndObserved() throws {
        let store = try PropertyListStore(path: path)
        try store.set(1, for: "a")
        let observed = Observed(store)
        let another = try other()
        try another.set(2, for: "a")
        try another.set(3, for: "b")
        #expect(try store.get("a") == 2)
        #expect(
            observed.events == [
                .change(
                    StoreChange(
                        entries: [.init(key: "a", old: 1, new: 2), .init(key: "b", old: nil, new: 3)],
                        origin: .anotherProcess
                    )
                )
            ]
        )
        try store.set(4, for: "c")
        #expect(try another.entries().count == 3)
        #expect(try store.verify().isIntact)
    }

    @Test func concurrentCommitsAreNotLost() throws {
        let path = path
        DispatchQueue.concurrentPerform(iterations: 4) { writer in
            #expect(throws: Never.self) {
                // The lock is not fair, so one writer may have to wait for all others repeatedly.
                let store = try PropertyListStore(path: path, on: .local, lockLimit: .seconds(120))
                for number in 0..<40 { try store.set(.int(Int64(number)), for: "\(writer).\(number)") }
            }
        }
        #expect(try other().count() == 160)
    }

    @Test func commitThrowsBusyAndChangesNothingWhileLockIsHeld() throws {
        let store = try PropertyListStore(path: path, on: .local, lockLimit: .milliseconds(20))
        try store.set(1, for: "a")
        let held = try LockFile(at: path + ".lock").acquire()
        let error = #expect(throws: StoreError.self) { try store.set(2, for: "a") }
        #expect(error?.code == .busy)
        #expect(error?.description.contains("\(ProcessInfo.processInfo.processIdentifier)") == true)
        #expect(try store.get("a") == 1)
        held.release()
        try store.set(2, for: "a")
    }

    @Test(
        arguments: [
            "", "hello", "<plist version=\"1.0\"><dict><key>a</key>", "<plist><array/></plist>", "bplist00",
            "<dict><key>a</key><dict><key>larder:type</key><string>float</string></dict></dict>",
            "<dict><key>larder:key:%0</key><true/></dict>",
            "<dict><key>b</key><true/><key>larder:key:b</key><true/></dict>",
        ])
    func corruptFileIsAlwaysRejectedAndNeverChanged(text: String) throws {
        try write(text)
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try PropertyListStore(path: path) }
            #expect(error?.code == .damaged)
            #expect(error?.path == path)
        }
        #expect(try bytes() == Data(text.utf8))
    }

    @Test func fileCorruptedWhileOpenIsRejectedUntilRepaired() throws {
        let store = try PropertyListStore(path: path)
        try store.set(1, for: "a")
        try store.set(2, for: "b")
        let whole = try bytes()
        let cut = whole.prefix(whole.count - 30)
        try cut.write(to: URL(fileURLWithPath: path))
        for _ in 0..<2 {
            #expect(throws: StoreError.self) { try store.get("a") }
            #expect(throws: StoreError.self) { try store.set(1, for: "c") }
        }
        #expect(try !store.verify().isIntact)
        #expect(try store.verify().problems.first?.offset != nil)
        #expect(try bytes() == cut)

        let repair = try PropertyListStore.repair(path: path)
        #expect(repair.copiedTo == path + ".damaged-1")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".damaged-1")) == cut)
        #expect(try store.get("a") == 1)
        #expect(try store.verify().isIntact)
        #expect(try PropertyListStore.repair(path: path).copiedTo == nil)
    }

    @Test func repairKeepsEntriesBeforeAndAfterCorruption() throws {
        let store = try other()
        for key in ["a", "b", "c", "d"] { try store.set(["k": .string(key)], for: StoreKey(key)) }
        let text = String(decoding: try bytes(), as: UTF8.self)
            .replacingOccurrences(of: "<string>b</string>", with: "<strong>b</strong>")
        try write(text)
        let repair = try PropertyListStore.repair(path: path)
        #expect(try other().keys() == ["a", "c", "d"])
        #expect(repair.recoveredEntries == 3)
        #expect(repair.problems.first?.offset != nil)
        #expect(repair.description.contains("damaged-1"))
        #expect(try other().verify().isIntact)
    }

    @Test func repairLeavesMissingAndUnreadableFilesUnchanged() throws {
        #expect(try PropertyListStore.repair(path: path).copiedTo == nil)
        try write("bplist00 and then nothing")
        let repair = try PropertyListStore.repair(path: path)
        #expect(repair.recoveredEntries == 0)
        #expect(try !repair.description.isEmpty && other().entries().isEmpty)
        try write("<nothing")
        #expect(try PropertyListStore.repair(path: path).copiedTo == path + ".damaged-2")
    }

    @Test func openWithQuarantineMakesBackupCopyAndReportsIssue() throws {
        try write("<dict>\n\t<key>a</key>\n\t<integer>1</integer>\n\t<key>")
        let collected = Issues()
        let store = try withIssueHandler({ collected.add($0) }) {
            try PropertyListStore(path: path, whenDamaged: .quarantine, on: .local)
        }
        let reported = collected.all
        #expect(reported.map(\.code) == [.damaged])
        #expect(try store.entries() == [StoreEntry(key: "a", value: 1)])
        #expect(FileManager.default.fileExists(atPath: path + ".damaged-1"))
    }

    @Test func newerVersionValueIsNeverDropped() throws {
        let text = "<dict><key>a</key><dict><key>larder:type</key><string>decimal</string></dict></dict>"
        try write(text)
        let error = #expect(throws: StoreError.self) { try PropertyListStore(path: path, whenDamaged: .quarantine) }
        #expect(error?.code == .newerFormat)
        #expect(throws: StoreError.self) { try PropertyListStore(path: path, on: .local).verify() }
        // `repair` finds no damage either.
        #expect(throws: StoreError.self) { try PropertyListStore.repair(path: path) }
        #expect(try bytes() == Data(text.utf8))
    }

    @Test func openingFolderAsStoreFails() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let error = #expect(throws: StoreError.self) { try PropertyListStore(path: path) }
        #expect(error?.code == .invalidConfiguration || error?.code == .inputOutput)
    }

    @Test func commitThroughSymbolicLinkWritesTarget() throws {
        let target = folder.path("target.plist")
        let link = folder.path("link.plist")
        try PropertyListStore(path: target).set(1, for: "a")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        try PropertyListStore(path: link).set(2, for: "a")
        #expect(try PropertyListStore(path: target).get("a") == 2)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
    }

    @Test func asyncCommitsToPropertyListStoreSucceed() async throws {
        let store = try PropertyListStore(path: path)
        try await store.set(1, for: "a", durability: .synced)
        try await store.flush()
        #expect(store.inspectionKind == "property list" && store.inspectionName == path)
        #expect(try store.inspectionRows(prefix: "", limit: 5).map(\.key) == ["a"])
        #expect(
            try store.inspectionFacts().map(\.name) == [
                "entries", "file bytes", "health", "guarantees", "limitation", "limitation",
            ]
        )
    }
}
