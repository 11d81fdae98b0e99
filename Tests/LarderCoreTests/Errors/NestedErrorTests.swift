import Foundation
import LarderCore
import Testing

/// Tests of long chains of underlying errors, like those that a loop produces if it wraps the same failure repeatedly.
@Suite struct NestedErrorTests {
    private static let depth = 20_000

    private static func depth(of error: any Error) -> Int {
        var (depth, next) = (0, error as? StoreError)
        while let error = next?.underlying {
            depth += 1
            next = error as? StoreError
        }
        return depth
    }

    @Test func deeplyNestedErrorHasShortDescription() {
        var error = StoreError(.inputOutput, "The disk failed.")
        for number in 1...Self.depth { error = StoreError(.inputOutput, "Try \(number) failed.", underlying: error) }
        #expect(error.message == "Try \(Self.depth) failed.")
        #expect(Self.depth(of: error) < 20)
        #expect(error.description.contains("The disk failed."))
        #expect(error.description.utf8.count < 4_000)
    }

    @Test func errorAndIssueDescriptionsTruncateNestedCauses() {
        var error: any Error = StoreError(.inputOutput, "The disk failed.")
        for number in 1...Self.depth {
            error =
                switch number % 4 {
                case 0: CoreError.Unknown(underlying: error)
                case 1: CoreError.Failed("Try \(number) failed.", underlying: error)
                case 2: CoreError.DataSerialization("Try \(number) failed.", underlying: error)
                default: StoreError(.inputOutput, "Try \(number) failed.", underlying: error)
                }
        }
        #expect("\(error)".utf8.count < 8_000)
        #expect(LarderIssue(.readFailed, "It failed.", underlying: error).description.utf8.count < 8_000)
    }

    @Test func errorDescriptionTruncatesLongCause() {
        struct Long: Error, CustomStringConvertible { let description = String(repeating: "é", count: 100_000) }
        let error = StoreError(.inputOutput, "It failed.", underlying: Long())
        #expect(error.description.hasPrefix("It failed. (é"))
        #expect(error.description.utf8.count < 4_000)
        #expect(error.underlying is Long)
    }
}
