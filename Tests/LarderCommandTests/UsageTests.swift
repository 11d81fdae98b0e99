#if Command
import Foundation
import Testing

@Suite struct UsageTests {
    @Test(arguments: [
        ["put"], ["put", "k"], ["get", "k", "--as", "integer"], ["frobnicate"], ["list", "--format", "xml"], ["delete"],
        ["get", "k", "--kind", "plist"], ["get", "k", "--colour"], ["put", "k", "-x"], ["tour", "fast"],
    ])
    func invalidArgumentsExitWithStatusTwoAndOneErrorLine(arguments: [String]) throws {
        let run = try CommandRun(arguments)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.complaint.hasPrefix("larder: "))
        #expect(run.complaint.split(separator: "\n").count == 1)
    }

    @Test(arguments: [[], ["--help"], ["help", "put"], ["get", "-h"], ["--version"]])
    func helpIsPrintedToStandardOutput(arguments: [String]) throws {
        let run = try CommandRun(arguments)
        #expect(run.status == 0)
        #expect(run.output.contains("larder"))
        #expect(run.complaint.isEmpty)
    }

    @Test func missingFileIsReportedAndNotCreated() throws {
        try withStorePath { path throws in
            let run = try CommandRun("list", "--store", path)
            #expect(run.status == 1)
            #expect(run.complaint == "larder: There is no file at \(path.debugDescription). Check the path.\n")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func folderIsRejectedAsStoreFile() throws {
        try withFolder { folder throws in
            let run = try CommandRun("list", "--store", folder.path)
            #expect(run.status == 2)
        }
    }

    @Test func unknownFileTypeRequiresKindOption() throws {
        try withFolder { folder throws in
            let path = folder.appending(path: "settings").path
            #expect(try CommandRun("put", "a", "1", "--store", path).complaint.contains("--kind plist"))
            #expect(try CommandRun("put", "a", "1", "--store", path, "--kind", "plist").status == 0)
            #expect(try CommandRun("get", "a", "--store", path).output == "1\n")
        }
    }

    @Test func oversizedKeyIsRejected() throws {
        try withStorePath { path throws in
            let run = try CommandRun("put", String(repeating: "k", count: 5000), "1", "--store", path)
            #expect(run.status == 2)
            #expect(run.complaint.contains("4096"))
        }
    }

    @Test func deviceStorageIsUsedByDefault() throws {
        try withFolder { home throws in
            #expect(try CommandRun(["put", "colour", "green"], home: home).status == 0)
            #expect(try CommandRun(["get", "colour"], home: home).output == "green\n")
            #expect(try CommandRun(["list", "--format", "json"], home: home).output.contains("green"))
        }
    }

    @Test func deviceStorageOfAnotherProgramIsOpenedByName() throws {
        try withFolder { home throws in
            #expect(try CommandRun(["put", "a", "1", "--application", "weather"], home: home).status == 0)
            let file = home.appending(path: ".local/share/weather/weather.larder").path
            #expect(try CommandRun("get", "a", "--store", file).output == "1\n")
            #expect(try CommandRun(["get", "a"], home: home).status == 1)
        }
    }

    @Test func readingMissingDeviceStorageCreatesNoFile() throws {
        try withFolder { home throws in
            #expect(try CommandRun(["list"], home: home).status == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty)
        }
    }

    @Test(arguments: [["list"], ["get", "a"], ["stat"], ["verify"], ["export", "COPY"], ["put", "a", "1"]])
    func homeFolderWithLinkLoopIsNotTreatedAsEmptyStore(command: [String]) throws {
        try withFolder { home throws in
            // A link to itself can't be followed, even by the superuser.
            try FileManager.default.createSymbolicLink(
                atPath: home.appending(path: ".local").path,
                withDestinationPath: ".local"
            )
            let copy = home.appending(path: "all.json").path
            let run = try CommandRun(command.map { $0 == "COPY" ? copy : $0 }, home: home)
            #expect(run.status == 2 && run.output.isEmpty)
            #expect(run.complaint.split(separator: "\n").count == 1)
            #expect(!FileManager.default.fileExists(atPath: copy))
        }
    }

    @Test(
        .enabled(if: geteuid() != 0, "the superuser may search every folder"),
        arguments: [["list"], ["export", "COPY"]]
    )
    func inaccessibleHomeFolderIsNotTreatedAsEmptyStore(command: [String]) throws {
        try withFolder { home throws in
            let closed = home.appending(path: ".local").path
            try FileManager.default.createDirectory(
                atPath: closed,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0]
            )
            let run = try CommandRun(command.map { $0 == "COPY" ? home.path + "/all.json" : $0 }, home: home)
            #expect(run.status == 2 && run.complaint.contains("permissions"))
        }
    }

    @Test(arguments: [
        ["list", "--store", "FILE.larder"], ["list", "--store", "FILE.xml"],
        ["put", "a", "1", "--store", "FILE.plist"],
        ["import", "FILE.json", "--store", "HERE.plist"], ["export", "FILE.json", "--store", "GOOD.plist"],
        ["import", "GOOD.plist", "--dry-run", "--store", "FILE.larder"], ["repair", "--store", "FILE.plist"],
    ])
    func fileBehindLinkLoopIsNotReportedAsMissing(command: [String]) throws {
        try withFolder { folder throws in
            let closed = folder.appending(path: "closed").path
            try FileManager.default.createSymbolicLink(atPath: closed, withDestinationPath: "closed")
            let here = folder.appending(path: "here").path
            #expect(Invocation("put", "a", "1", "--store", here + "-good.plist").status == 0)
            let run = Invocation(
                command.map {
                    $0.replacing("FILE", with: closed + "/x").replacing("HERE", with: here)
                        .replacing("GOOD", with: here + "-good")
                }
            )
            #expect(run.status == 2 && run.complaint.contains(closed), "\(run.complaint)")
            #expect(!run.complaint.contains("There is no file"))
            #expect(!FileManager.default.fileExists(atPath: here + ".plist"))
        }
    }

    @Test(arguments: [["put", "a", "1"], ["get", "a"], ["list"]])
    func missingHomeFolderErrorSuggestsFix(command: [String]) throws {
        let run = try CommandRun(command, environment: ["HOME": nil])
        #expect(run.status == 2 && run.complaint.contains("XDG_DATA_HOME"))
        #expect(run.complaint.split(separator: "\n").count == 1)
    }

    @Test func putCommandReadsValueFromStandardInput() throws {
        try withStorePath { path throws in
            _ = try CommandRun(["put", "x", "-", "--store", path], input: Data("from outside\n".utf8))
            #expect(try CommandRun(["get", "x", "--store", path]).output == "from outside\n")
        }
    }
}

@Suite struct MissingKeyTests {
    /// The key is also checked in a build without encryption.
    @Test(arguments: ["v.larder", "v.plist"])
    func storeIsNotCreatedIfEncryptionKeyFileIsMissing(name: String) throws {
        try withFolder { folder throws in
            let store = folder.appending(path: name).path
            let key = ["--key-file", folder.appending(path: "missing").path]
            for command in [["put", "pin", "1234"], ["import", folder.appending(path: "entries.json").path]] {
                try Data(#"{"a": 1}"#.utf8).write(to: folder.appending(path: "entries.json"))
                #expect(Invocation(command + ["--store", store] + key).status == 2)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["entries.json"])
                try FileManager.default.removeItem(at: folder.appending(path: "entries.json"))
            }
        }
    }
}
#endif
