import Foundation
import Testing

/// The table of promises in `Documentation/Formats/replication-v1.md`.
@Suite
struct PromiseTests {
    @Test func everyPromiseNamesTestsThatExist() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = folder.deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appendingPathComponent("Documentation/Formats/replication-v1.md")
        // Those of the last row are tests of PostgreSQL.
        let folders = [folder, folder.deletingLastPathComponent().appendingPathComponent("LarderPostgresTests")]
        let files = try folders.flatMap {
            try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
        }
        let tests = try files.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
            .filter { $0.count == 3 && Int($0[0]) != nil }
        #expect(rows.map { $0[0] } == (1...10).map { "\($0)" })
        for row in rows {
            let names = row[2].split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map(\.element)
            #expect(!names.isEmpty, "row \(row[0])")
            for name in names { #expect(tests.contains("func \(name)("), "row \(row[0])") }
        }
    }
}
