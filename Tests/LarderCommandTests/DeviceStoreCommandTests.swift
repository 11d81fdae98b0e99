#if Command
import Foundation
import LarderCore
import LarderDeviceStore
import Testing

@Suite struct DeviceStoreCommandTests {
    @Test func commandsReadAndWriteDeviceStore() throws {
        try withFolder { folder throws in
            let path = folder.appending(path: "new.larder").path
            #expect(Invocation("put", "a", "1.5", "--type", "double", "--store", path).status == 0)
            #expect(Invocation("get", "a", "--store", path).output == "1.5\n")
            #expect(Invocation("list", "--store", path).output.contains("double"))
            #expect(Invocation("delete", "a", "--store", path).status == 0)
            #expect(Invocation("get", "a", "--store", path).status == 1)
            #expect(try DeviceStore(path: path).verify().isIntact)
        }
    }

    @Test func deviceStoreIsDetectedByContent() throws {
        try withDeviceStore { path, folder throws in
            let other = folder.appending(path: "settings").path
            try FileManager.default.copyItem(atPath: path, toPath: other)
            #expect(Invocation("get", "key7", "--store", other).output == "9\n")
        }
    }

    @Test func readingDeviceStoreCreatesNoFiles() throws {
        try withDeviceStore { path, folder throws in
            let copy = folder.appending(path: "copy.larder")
            try FileManager.default.copyItem(atPath: path, toPath: copy.path)
            let before = try Data(contentsOf: copy)
            for command in [["list"], ["get", "key1"], ["verify"], ["stat"]] {
                #expect(Invocation(command + ["--store", copy.path]).status == 0)
            }
            #expect(try Data(contentsOf: copy) == before)
            #expect(!FileManager.default.fileExists(atPath: copy.path + ".ctl"))
        }
    }

    @Test func verifyPrintsNumberOfCheckedEntries() throws {
        try withDeviceStore { path, _ throws in
            let run = Invocation("verify", "--store", path)
            #expect(run.status == 0 && run.output == "Checked 300 entries in \"\(path)\". No problems were found.\n")
            let json = try Invocation("verify", "--format", "json", "--store", path).object()
            #expect(json["checkedEntries"] as? Int == 300 && json["isIntact"] as? Bool == true)
            #expect((json["problems"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func statPrintsFileSizes() throws {
        try withDeviceStore { path, _ throws in
            #expect(Invocation("stat", "--store", path).output.contains("live bytes"))
            let json = try Invocation("stat", "--format", "json", "--store", path).object()
            #expect(json["kind"] as? String == "device store" && json["entries"] as? Int == 300)
            #expect(json["writeCost"] as? String == "entry" && (json["deadBytes"] as? Int ?? 0) > 0)
            #expect(json["limitations"] is [Any])
        }
    }

    @Test func compactPrintsSizesBeforeAndAfter() throws {
        try withDeviceStore { path, _ throws in
            let json = try Invocation("compact", "--format", "json", "--store", path).object()
            #expect(try #require(json["bytesBefore"] as? Int) > #require(json["bytesAfter"] as? Int))
            #expect(Invocation("compact", "--store", path).output.hasPrefix("Compacted \"\(path)\" from "))
            #expect(try DeviceStore(path: path).count() == 300)
            #expect(Invocation("verify", "--store", path).status == 0)
        }
    }

    @Test func backupCommandCreatesIndependentStore() throws {
        try withDeviceStore { path, folder throws in
            let copy = folder.appending(path: "copy.larder").path
            #expect(Invocation("backup", copy, "--store", path).status == 0)
            #expect(Invocation("get", "key7", "--store", copy).output == "9\n")
            let again = Invocation("backup", copy, "--store", path)
            #expect(again.status == 2 && again.complaint.contains(copy))
            #expect(try DeviceStore(path: copy).verify().isIntact)
        }
    }

    @Test(arguments: [["list"], ["get", "key1"], ["verify"], ["stat"], ["put", "a", "1"], ["compact"]])
    func everyCommandRejectsCorruptStoreWithoutChangingIt(command: [String]) throws {
        try withDeviceStore { path, _ throws in
            try damage(path)
            let before = try Data(contentsOf: URL(filePath: path))
            let run = Invocation(command + ["--store", path])
            #expect(run.status == 2 && run.complaint.contains(path) && run.complaint.contains("repair"))
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test func verifyPrintsEachProblemOfCorruptStore() throws {
        try withDeviceStore { path, _ throws in
            try damage(path)
            try damage(path, at: 30_000)
            let before = try Data(contentsOf: URL(filePath: path))
            let run = Invocation("verify", "--format", "json", "--store", path)
            let json = try run.object()
            #expect(run.status == 2 && json["isIntact"] as? Bool == false)
            #expect(json["store"] as? String == path && json["kind"] as? String == "device store")
            #expect((json["checkedEntries"] as? Int ?? 0) > 0)
            let problems = try #require(json["problems"] as? [[String: Any]])
            #expect(problems.count == 2 && problems.allSatisfy { $0["message"] is String && $0["offset"] is Int })
            #expect(run.complaint.split(separator: "\n").count == 3)
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
            #expect(!FileManager.default.fileExists(atPath: path + ".damaged-1"))
        }
    }

    @Test func repairPrintsBackupPathAndKeysInDoubt() throws {
        try withDeviceStore { path, _ throws in
            try damage(path)
            let json = try Invocation("repair", "--format", "json", "--store", path).object()
            #expect(json["copiedTo"] as? String == path + ".damaged-1")
            #expect(json["keptEntries"] as? Int == 300)
            #expect(json["keysInDoubt"] is [String])
            #expect(json["recordsInDoubt"] as? [String] == [])
            #expect((json["problems"] as? [Any])?.count == 1)
            #expect(Invocation("verify", "--store", path).status == 0)
            let again = Invocation("repair", "--store", path)
            #expect(again.status == 0 && again.output == "The file \"\(path)\" is not corrupt and was not changed.\n")
        }
    }

    @Test func sharedPreferencesFileIsDetectedByNameOrContent() throws {
        try withFolder { folder throws in
            let path = folder.appending(path: "p.xml").path
            #expect(Invocation("put", "a", "7", "--type", "int", "--store", path).status == 0)
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains("<int name=\"a\" value=\"7\""))
            let renamed = folder.appending(path: "prefs").path
            try FileManager.default.moveItem(atPath: path, toPath: renamed)
            #expect(Invocation("get", "a", "--store", renamed).output == "7\n")
            #expect(Invocation("put", "d", "2026-11-21", "--type", "date", "--store", renamed).status == 2)
            #expect(Invocation("verify", "--store", renamed).status == 0)
        }
    }

    @Test func propertyListStoreIsBackedUpAndNeedsNoCompaction() throws {
        try withFolder { folder throws in
            let (path, copy) = (folder.appending(path: "s.plist").path, folder.appending(path: "c.plist").path)
            _ = Invocation("put", "a", "1", "--store", path)
            #expect(Invocation("backup", copy, "--store", path).status == 0)
            #expect(Invocation("get", "a", "--store", copy).output == "1\n")
            #expect(Invocation("backup", copy, "--store", path).status == 2)
            #expect(Invocation("compact", "--store", path).output.contains("nothing to compact"))
            #expect(Invocation("stat", "--store", path).output.contains("property list"))
            #expect(Invocation("verify", "--store", copy).status == 0)
        }
    }

    @Test func backupAfterInterruptedWriteContainsReadableValues() throws {
        try withFolder { folder throws in
            let (path, copy) = (folder.appending(path: "p.xml").path, folder.appending(path: "c.xml").path)
            _ = Invocation("put", "a", "7", "--type", "int", "--store", path)
            try FileManager.default.moveItem(atPath: path, toPath: path + ".bak")
            for unfinished in [nil, "<map><int"] {
                try unfinished.map { try Data($0.utf8).write(to: URL(filePath: path)) }
                let run = Invocation("backup", copy, "--store", path)
                #expect(run.status == 0, "\(run.complaint)")
                #expect(Invocation("get", "a", "--store", copy).output == "7\n")
                let size = try Data(contentsOf: URL(filePath: path + ".bak")).count
                let stat = try Invocation("stat", "--format", "json", "--store", path).object()
                #expect(stat["fileBytes"] as? Int == size)
                try FileManager.default.removeItem(atPath: copy)
            }
        }
    }

    @Test(arguments: [["--application", "a", "--store", "b"], ["--key-file", "a", "--key-variable", "b"]])
    func conflictingCommandOptionsAreRejected(options: [String]) {
        let run = Invocation(["list"] + options)
        #expect(run.status == 2 && run.complaint.split(separator: "\n").count == 1)
    }
}
#endif
