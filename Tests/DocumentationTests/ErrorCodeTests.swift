import Foundation
import Testing

/// Checks that the article about error codes lists exactly the codes that the sources declare, each with a cause and a remedy.
@Suite struct ErrorCodeTests {
    @Test func errorCodeArticleListsAllCodes() throws {
        let declared = try Self.declaredCodes()
        let listed = try Self.listedCodes().mapValues { Set($0.map(\.code)) }
        #expect(declared.count > 5)
        for (type, codes) in declared {
            #expect(codes.subtracting(listed[type] ?? []) == [], "\(type): missing in the article")
        }
        for (type, codes) in listed {
            #expect(codes.subtracting(declared[type] ?? []) == [], "\(type): not in the sources")
        }
    }

    @Test func everyErrorCodeHasCauseAndRemedy() throws {
        for row in try Self.listedCodes().values.joined() {
            #expect(row.cause.hasSuffix(".") && row.remedy.hasSuffix("."), "\(row.code)")
        }
    }

    private typealias Row = (code: String, cause: String, remedy: String)

    /// Returns the codes in the article's tables, grouped by the type that the text before each table begins with.
    private static func listedCodes() throws -> [String: [Row]] {
        let article = try String(
            contentsOf: root.appending(path: "LarderCore/LarderCore.docc/ErrorCodes.md"),
            encoding: .utf8
        )
        var type = ""
        var rows: [String: [Row]] = [:]
        for line in article.split(separator: "\n") {
            if let match = line.prefixMatch(of: /`+(?<type>\w+)`+/) { type = String(match.type) }
            guard let row = line.wholeMatch(of: /\| `(?<code>\w+)`(?: \(\d+\))? \| (?<cause>.*) \| (?<remedy>.*) \|/)
            else { continue }
            rows[type, default: []].append((String(row.code), String(row.cause), String(row.remedy)))
        }
        return rows
    }

    /// Returns the names that the sources pass to `Code`, and the types nested in `CoreError`, grouped by type.
    private static func declaredCodes() throws -> [String: Set<String>] {
        var codes: [String: Set<String>] = [:]
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let source = try String(contentsOf: file, encoding: .utf8)
            let declaring = source.firstMatch(of: /public struct (?<type>\w+): (?:Error|Sendable)\b/).map {
                String($0.type)
            }
            for match in source.matches(of: /= (?:(?<type>\w+)\.)?Code\(\s*"(?<code>\w+)"/) {
                let type = try #require(match.type.map(String.init) ?? declaring, "\(file.lastPathComponent)")
                codes[type, default: []].insert(String(match.code))
            }
            for match in source.matches(of: /public struct (?<kind>\w+): Kind \{/) {
                codes["CoreError", default: []].insert(String(match.kind))
            }
        }
        return codes
    }

    private static let root = URL(filePath: #filePath).appending(path: "../../../Sources").standardized
}
