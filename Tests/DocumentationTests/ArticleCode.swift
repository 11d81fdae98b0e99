import LarderTestSupport
import Testing

/// Checks that the Swift code of an article equals the code between `// Article` and `// end` in a test's source file.
func expectSameCode(article: String, source: String) throws {
    let code = try articleCode(article: article, source: source)
    #expect(!code.printed.isEmpty)
    #expect(code.printed == code.tested)
}
