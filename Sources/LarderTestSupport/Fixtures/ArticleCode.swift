import Foundation

/// Returns the code of an article, and the code between `// Article` and `// end` in a test's source, as lines without indentation.
///
/// Blocks that begin with `// Before`, blocks of a package manifest, blank lines, imports and lines that choose a path are omitted.
package func articleCode(article: String, source: String) throws -> (printed: [String], tested: [String]) {
    let sources = URL(filePath: #filePath).appending(path: "../../..").standardized
    let text = try String(contentsOf: sources.appending(path: article), encoding: .utf8)
    let printed = text.matches(of: /```swift\n(?<code>[\s\S]*?)```/).map(\.code)
        .filter { !$0.hasPrefix("// Before") && !$0.hasPrefix(".package(") }
    let tested = try String(contentsOf: URL(filePath: source), encoding: .utf8)
        .matches(of: /\/\/ Article\n(?<code>[\s\S]*?) *\/\/ end\n/).map(\.code)
    return (lines(printed), lines(tested))
}

private func lines(_ parts: [Substring]) -> [String] {
    parts.joined(separator: "\n").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty && !$0.hasPrefix("import ") && !$0.hasPrefix("let path = ") }
}
