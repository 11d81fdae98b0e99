#if Command
import Foundation
import Testing

@Suite struct CorruptStoreTests {
    private static let commands: [[String]] = [
        ["put", "a", "1"], ["get", "a"], ["delete", "a"], ["list"], ["list", "--format", "json"], ["verify"],
    ]

    private static let damage: [String] = [
        "", "garbage", "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>a</key>", "bplist00\u{1}\u{2}",
        "<?xml version=\"1.0\"?><plist version=\"1.0\"><array/></plist>",
    ]

    @Test(arguments: commands, damage)
    func everyCommandReportsCorruptFileWithoutChangingIt(command: [String], content: String) throws {
        try withStorePath { path throws in
            try Data(content.utf8).write(to: URL(filePath: path))
            let run = try CommandRun(command + ["--store", path])
            #expect(run.status == 2)
            #expect(run.complaint.contains(path))
            #expect(run.complaint.split(separator: "\n").count == 1)
            #expect(try Data(contentsOf: URL(filePath: path)) == Data(content.utf8))
        }
    }

    @Test(arguments: damage)
    func verifyReportsCorruptionAsJSON(content: String) throws {
        try withStorePath { path throws in
            try Data(content.utf8).write(to: URL(filePath: path))
            let run = try CommandRun("verify", "--format", "json", "--store", path)
            #expect(run.status == 2 && run.complaint.split(separator: "\n").count == 1)
            let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            #expect(json?["isIntact"] as? Bool == false && json?["checkedEntries"] as? Int == 0)
            #expect(json?["store"] as? String == path && json?["kind"] as? String == "property list")
            let problems = try #require(json?["problems"] as? [[String: Any]])
            #expect(problems.count == 1 && problems.allSatisfy { ($0["message"] as? String)?.contains(path) == true })
        }
    }

    @Test(arguments: damage)
    func repairRestoresStoreAndKeepsCopyOfCorruptFile(content: String) throws {
        try withStorePath { path throws in
            try Data(content.utf8).write(to: URL(filePath: path))
            let run = try CommandRun("repair", "--store", path)
            #expect(run.status == 0, "\(run.complaint)")
            let folder = URL(filePath: path).deletingLastPathComponent().path
            let copies = try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
                name != "s.plist" && FileManager.default.contents(atPath: folder + "/" + name) == Data(content.utf8)
            }
            #expect(copies.count == 1)
            #expect(copies.allSatisfy { run.output.contains($0) })
            #expect(try CommandRun("put", "a", "1", "--store", path).status == 0)
            #expect(try CommandRun("verify", "--store", path).status == 0)
        }
    }

    @Test func repairingIntactStoreChangesNothing() throws {
        try withStorePath { path throws in
            _ = try CommandRun("put", "a", "1", "--store", path)
            let before = try Data(contentsOf: URL(filePath: path))
            let run = try CommandRun("repair", "--store", path)
            #expect(run.status == 0)
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }
}
#endif
