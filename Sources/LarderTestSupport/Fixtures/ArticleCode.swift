import Foundation

/// Returns the Swift code in an article, and the code between `// Article` and `// end` in a test's source, which should be equal.
///
/// The results are nonempty lines without indentation, because code in a test is indented more deeply. They omit the article's blocks that
/// begin with `// Before`, which show another library, and its blocks for a package manifest. They also omit lines that import a module or
/// choose a path, because these lines differ in a test.
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
