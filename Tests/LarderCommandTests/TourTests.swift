#if Command
import Foundation
import Testing

@Suite struct TourTests {
    @Test func tourCompletesAndLeavesNoFiles() throws {
        try withFolder { home throws in
            let run = try CommandRun(["tour"], home: home)
            #expect(run.status == 0, "\(run.complaint)")
            #expect(
                run.output.hasSuffix(
                    "\nThe tour is complete. Every call returned the result that is printed next to the call.\n"
                )
            )
            #expect(run.complaint.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty)
        }
    }

    #if Objects
    @Test func tourIncludesObjectStorage() throws {
        try withFolder { home throws in
            let output = try CommandRun(["tour"], home: home).output
            let scene = try #require(output.split(separator: "\n\n").first { $0.hasPrefix("Object storage keeps") })
            #expect(scene.contains(#"matching: dear)?.items.map(\.name)"#) && scene.contains(#"→ ["tea", "jam"]"#))
            #expect(scene.contains("manager.queries.recording { walk(view) }.count") && scene.contains("→ 2"))
            #expect(scene.contains("throws: Cancelled"))
        }
    }
    #else
    @Test func tourPrintsObjectStorageCommand() throws {
        try withFolder { home throws in
            let output = try CommandRun(["tour"], home: home).output
            let scene = try #require(output.split(separator: "\n\n").first { $0.hasPrefix("Object storage keeps") })
            #expect(scene.contains("swift run --traits Command,Objects larder tour"))
        }
    }
    #endif

    @Test func printedCallsMatchTourCode() throws {
        let scenes = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/LarderCommand/Tour")
        var compared = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: scenes.path) where name.hasSuffix("Scene.swift")
        {
            let source = try String(contentsOf: scenes.appending(path: name), encoding: .utf8)
            let form = /tour\.show(?:Error)?\(#"(?<printed>.*)"#\) \{\s*(?<written>[^\n]*?)\s*\}\n/
            for match in source.matches(of: form) {
                compared += 1
                let written = match.written.replacing("try ", with: "").replacing(/\.get\(\)$/, with: "")
                    .replacing(/^result \{ await (.*)$/) { $0.1 }
                #expect(
                    String(match.printed).replacing("try ", with: "").replacing(/\.get\(\)$/, with: "") == written,
                    "\(name)"
                )
            }
        }
        #expect(compared > 20)
    }
}
#endif
