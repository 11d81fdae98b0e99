import LarderCore
import LarderFiles
import Testing

/// Errors of files that nest, as a loop makes them that wraps the same failure again and again.
struct FileErrorTests {
    private struct Broken: Error {}

    @Test func errorsThatNestAgainAndAgainStayShort() throws {
        var error: any Error = Broken()
        for number in 0..<20_000 {
            error =
                number % 2 == 0
                ? FileError(.inputOutput, .read, "/data/\(number)", underlying: error)
                : StoreError(.inputOutput, "Try \(number) failed.", underlying: error)
        }
        var (depth, next) = (0, Optional(error))
        while let cause = (next as? FileError)?.underlying ?? (next as? StoreError)?.underlying {
            depth += 1
            next = cause
        }
        try #require(depth < 20)
        #expect(next is Broken)
        #expect("\(error)".utf8.count < 8_000)
        #expect(LarderIssue(.readFailed, "It failed.", underlying: error).description.utf8.count < 8_000)
    }
}
