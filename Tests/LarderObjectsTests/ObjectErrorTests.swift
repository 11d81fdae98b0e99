#if Objects
import LarderCore
import LarderObjects
import Testing

/// Errors of objects that nest, as a loop makes them that wraps the same failure again and again.
@Suite struct ObjectErrorTests {
    private struct Broken: Error {}

    @Test func errorsThatNestAgainAndAgainStayShort() throws {
        var error: any Error = Broken()
        for number in 0..<20_000 {
            error =
                number % 2 == 0
                ? ObjectError(.faultFailed, "Try \(number) failed.", path: "/data", underlying: error)
                : StoreError(.inputOutput, "Try \(number) failed.", underlying: error)
        }
        var (depth, next) = (0, Optional(error))
        while let cause = (next as? ObjectError)?.underlying ?? (next as? StoreError)?.underlying {
            depth += 1
            next = cause
        }
        try #require(depth < 20)
        #expect(next is Broken)
        #expect("\(error)".utf8.count < 8_000)
        #expect(LarderIssue(.readFailed, "It failed.", underlying: error).description.utf8.count < 8_000)
    }
}
#endif
