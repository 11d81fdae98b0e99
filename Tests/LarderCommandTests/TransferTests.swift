#if Command
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTesting
import Testing

@testable import LarderCommand

@Suite struct TransferTests {
    private static let names = ["s.larder", "s.plist", "s.json"]

    /// Fills a store with an entry for each kind of value, and returns the entries.
    private func fill(_ path: String) throws -> [StoreEntry] {
        let store = try DeviceStore(path: path)
        var generator = StoredValueGenerator(seed: 11)
        var batch = StoreBatch()
        for number in 0..<400 {
            batch.set(generator.value(), for: StoreKey("key\(number)"))
        }
        batch.set(.double(-0.0), for: "negative zero")
        batch.set(.float(.leastNonzeroMagnitude), for: "float")
        batch.set(.double(.infinity), for: "infinite")
        batch.set(.unsigned(.max), for: "most")
        batch.set(.int(.min), for: "least")
        batch.set((0..<63).reduce([1]) { deep, _ in .array([deep]) }, for: "deep")
        _ = try store.commit(batch)
        defer { withExtendedLifetime(store) {} }
        return try store.entries()
    }

    @Test(arguments: names, names)
    func everyValueSurvivesExportAndImport(first: String, second: String) throws {
        try withFolder { folder throws in
            let start = folder.appending(path: "start.larder").path
            let entries = try fill(start)
            let one = folder.appending(path: "one-" + first).path
            let two = folder.appending(path: "two-" + second).path
            let back = folder.appending(path: "back.larder").path
            let there = Invocation("export", one, "--store", start)
            #expect(there.status == 0, "\(there.complaint)")
            let onward = folder.appending(path: "onward.larder").path
            #expect(Invocation("import", one, "--store", onward).status == 0)
            #expect(Invocation("export", two, "--store", onward).status == 0)
            let run = Invocation("import", two, "--store", back)
            #expect(run.status == 0, "\(run.complaint)")
            let store = try DeviceStore(path: back)
            #expect(try store.entries() == entries)
            #expect(try store.verify().isIntact)
        }
    }

    @Test(arguments: ["e.plist", "e.xml", "e.larder", "e.json"])
    func exportWithoutMatchingEntriesCreatesEmptyFile(name: String) throws {
        try withFolder { folder throws in
            let (store, file) = (folder.appending(path: "s.larder").path, folder.appending(path: name).path)
            #expect(Invocation("put", "a", "1", "--store", store).status == 0)
            let selection = ["export", file, "--prefix", "None", "--store", store]
            #expect(Invocation(selection + ["--dry-run"]).status == 0)
            #expect(!FileManager.default.fileExists(atPath: file))
            #expect(Invocation(selection).status == 0)
            let back = folder.appending(path: "back.larder").path
            #expect(Invocation("import", file, "--store", back).status == 0)
            let copy = try DeviceStore(path: back)
            #expect(try copy.entries().isEmpty && copy.verify().isIntact)
        }
    }

    @Test func jsonObjectOfPlainValuesIsImported() throws {
        try withFolder { folder throws in
            let json = folder.appending(path: "plain.json")
            try Data(#"{"name": "Ann", "age": 41, "ratio": 0.5, "tags": ["a"], "none": null}"#.utf8).write(to: json)
            let path = folder.appending(path: "s.larder").path
            #expect(Invocation("import", json.path, "--store", path).status == 0)
            let store = try DeviceStore(path: path)
            #expect(try store.keys() == ["age", "name", "ratio", "tags"])
            #expect(try store.get("age") == 41)
        }
    }

    @Test(arguments: [
        "[1]", #"[{"key":"a"}]"#, #"[{"key":"a","value":{"type":"colour","value":"red"}}]"#, "{", "7",
        #"[{"key":"a","value":{"type":"int","value":"7"}}]"#,
        #"[{"key":"a","value":{"type":"int","value":7}},{"key":"a","value":{"type":"int","value":8}}]"#,
    ])
    func malformedImportFileIsRejectedEntirely(text: String) throws {
        try withFolder { folder throws in
            let json = folder.appending(path: "bad.json")
            try Data(text.utf8).write(to: json)
            let path = folder.appending(path: "s.larder").path
            let run = Invocation("import", json.path, "--store", path)
            #expect(run.status == 2 && run.complaint.contains("bad.json"))
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func exportSkipsUnsupportedEntriesOnlyWithPossibleFlag() throws {
        try withFolder { folder throws in
            let start = folder.appending(path: "s.larder").path
            _ = Invocation("put", "a", "1", "--type", "int", "--store", start)
            _ = Invocation("put", "d", "2026-11-21", "--type", "date", "--store", start)
            let xml = folder.appending(path: "p.xml").path
            let refused = Invocation("export", xml, "--store", start)
            #expect(refused.status == 1 && refused.complaint.contains("\"d\""))
            #expect(!FileManager.default.fileExists(atPath: xml))
            let json = Invocation("export", xml, "--possible", "--format", "json", "--store", start)
            #expect(json.status == 1)
            let report = try json.object()
            #expect(report["copied"] as? [String] == ["a"] && (report["refused"] as? [Any])?.count == 1)
            #expect(Invocation("get", "a", "--store", xml).output == "1\n")
        }
    }

    @Test(arguments: names)
    func dryRunCreatesNoFiles(name: String) throws {
        try withFolder { folder throws in
            let start = folder.appending(path: "start.plist").path
            _ = Invocation("put", "a", "1", "--store", start)
            let path = folder.appending(path: name).path
            let run = Invocation("export", path, "--dry-run", "--store", start)
            #expect(run.status == 0 && run.output.contains("would be"))
            #expect(!FileManager.default.fileExists(atPath: path))
            if !name.hasSuffix("json") {
                #expect(Invocation("import", start, "--dry-run", "--store", path).status == 0)
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }
    }

    @Test func dryRunReportsUnsupportedEntriesWithoutCreatingFile() throws {
        try withFolder { folder throws in
            let (start, path) = (folder.appending(path: "s.plist").path, folder.appending(path: "p.xml").path)
            _ = Invocation("put", "when", "2026-11-22", "--type", "date", "--store", start)
            let run = Invocation("import", start, "--dry-run", "--store", path)
            #expect(run.status == 1 && run.complaint.contains("when"))
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func prefixOptionCopiesOnlyMatchingEntries() throws {
        try withFolder { folder throws in
            let start = folder.appending(path: "start.plist").path
            _ = Invocation("put", "pi", "3", "--prefix", "Double", "--store", start)
            _ = Invocation("put", "two", "2", "--prefix", "Int", "--store", start)
            let path = folder.appending(path: "s.larder").path
            #expect(Invocation("import", start, "--prefix", "Int", "--store", path).status == 0)
            #expect(try DeviceStore(path: path).keys() == ["Int.two"])
        }
    }

    @Test func exportDoesNotOverwriteExistingFile() throws {
        try withFolder { folder throws in
            let start = folder.appending(path: "start.plist").path
            _ = Invocation("put", "a", "1", "--store", start)
            let taken = folder.appending(path: "taken.json")
            try Data("mine".utf8).write(to: taken)
            #expect(Invocation("export", taken.path, "--store", start).status == 2)
            #expect(try Data(contentsOf: taken) == Data("mine".utf8))
        }
    }

    @Test(arguments: [["import", "/nowhere/x.json"], ["export", "/nowhere/x"], ["import", "/nowhere/x"]])
    func missingFilesAndUnknownFormatsAreReported(arguments: [String]) throws {
        try withFolder { folder throws in
            let start = folder.appending(path: "start.plist").path
            _ = Invocation("put", "a", "1", "--store", start)
            let run = Invocation(arguments + ["--store", start])
            #expect(run.status != 0 && run.complaint.contains("/nowhere/x"))
        }
    }
}
#endif
