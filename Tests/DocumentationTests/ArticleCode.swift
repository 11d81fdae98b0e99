import Foundation
import Testing

/// Checks that the Swift code of an article is what stands between `// Article` and `// end` in a test's source.
///
/// Blocks that begin with `// Before` are another library's and are left out.
func expectSameCode(article: String, source: String) throws {
    let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardized
    let text = try String(contentsOf: sources.appending(path: article), encoding: .utf8)
    let printed = text.matches(of: /```swift\n(?<code>[\s\S]*?)```/).map(\.code).filter { !$0.hasPrefix("// Before") }
    let tested = try String(contentsOf: URL(filePath: source), encoding: .utf8)
        .matches(of: /\/\/ Article\n(?<code>[\s\S]*?) *\/\/ end\n/).map(\.code)
    #expect(!printed.isEmpty)
    #expect(lines(printed) == lines(tested))
}

/// The lines that are not empty, without indentation: a function's body stands deeper in a test than in an article.
private func lines(_ parts: [Substring]) -> [String] {
    parts.joined(separator: "\n").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty }
}
