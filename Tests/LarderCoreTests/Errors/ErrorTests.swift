import Foundation
import LarderCore
import Testing

@Suite struct ErrorTests {
    static let coreErrors: [(any CoreError.Kind, Int)] = [
        (CoreError.Unknown(), 0), (CoreError.NotFound(), 1), (CoreError.IllegalArgument(), 2),
        (CoreError.NotImplemented(), 3), (CoreError.NotValid(), 4), (CoreError.Failed(), 5),
        (CoreError.QueryNotSupported(), 6), (CoreError.DataSerialization(), 7),
    ]

    @Test(arguments: coreErrors.indices) func eachCoreErrorHasStableCode(index: Int) {
        #expect(Self.coreErrors[index].0.code == Self.coreErrors[index].1)
    }

    @Test(arguments: coreErrors.indices) func coreErrorDescriptionIsSentence(index: Int) {
        let error = Self.coreErrors[index].0
        #expect(error.localizedDescription == error.description)
        #expect(error.description.last == ".")
    }

    @Test func errorsWithEqualDetailsAreEqual() {
        #expect(CoreError.Unknown() == CoreError.Unknown())
        #expect(CoreError.NotFound(.absent, key: "a") == CoreError.NotFound(.absent, key: "a"))
        #expect(CoreError.IllegalArgument("x") == CoreError.IllegalArgument("x"))
        #expect(
            CoreError.Failed("x", underlying: CancellationError())
                == CoreError.Failed("x", underlying: CancellationError())
        )
    }

    @Test func errorsWithDifferentDetailsAreNotEqual() {
        #expect(CoreError.NotFound(.absent, key: "a") != CoreError.NotFound(.absent, key: "b"))
        #expect(
            CoreError.NotFound(.absent, key: "a")
                != CoreError.NotFound(.notConvertible(stored: .url, asked: "Int"), key: "a")
        )
        #expect(CoreError.NotFound(.absent, key: "\u{E9}") != CoreError.NotFound(.absent, key: "e\u{301}"))
        #expect(CoreError.NotFound(.absent, key: nil) != CoreError.NotFound(.absent, key: ""))
        #expect(CoreError.IllegalArgument("x") != CoreError.IllegalArgument("y"))
        #expect(CoreError.NotImplemented("x") != CoreError.NotImplemented("y"))
        #expect(CoreError.NotValid("x") != CoreError.NotValid("y"))
        #expect(CoreError.QueryNotSupported("x") != CoreError.QueryNotSupported("y"))
        #expect(CoreError.Failed("x") != CoreError.Failed("y"))
    }

    @Test func errorsWithDifferentUnderlyingErrorsAreNotEqual() {
        struct First: Error, CustomStringConvertible { let description = "It failed." }
        struct Second: Error, CustomStringConvertible { let description = "It failed." }
        #expect(CoreError.Unknown(underlying: First()) != CoreError.Unknown())
        #expect(CoreError.Unknown(underlying: First()) != CoreError.Unknown(underlying: Second()))
        #expect(CoreError.Failed("x", underlying: First()) != CoreError.Failed("x", underlying: Second()))
        #expect(CoreError.DataSerialization(underlying: First()) != CoreError.DataSerialization(underlying: Second()))
        #expect(CoreError.Failed("x", underlying: First()) == CoreError.Failed("x", underlying: First()))
    }

    @Test func thrownCoreErrorCanBeCaughtByType() {
        let error: any Error = CoreError.NotFound(key: "a")
        #expect(error is CoreError.NotFound)
        #expect(error is DataNotFoundException)
        #expect(!(error is CoreError.NotValid))
        #expect(CoreError.domain == "com.mobilejazz.core.error")
    }

    @Test func notFoundErrorDescribesKeyAndReason() {
        #expect(CoreError.NotFound(key: "pi").description == #"There is no value for "pi"."#)
        #expect(
            CoreError.NotFound(.notConvertible(stored: .string, asked: "Int"), key: "pi").description
                == #"The value for "pi" is of kind string and can't be read as Int. Read it as string, or write a new value."#
        )
    }

    @Test func errorDescriptionIncludesUnderlyingError() {
        #expect(CoreError.Unknown(underlying: CancellationError()).description.hasSuffix("(CancellationError())"))
        #expect(
            CoreError.Failed("It failed.", underlying: CancellationError()).description
                == "It failed. (CancellationError())"
        )
        #expect(CoreError.DataSerialization(underlying: CancellationError()).underlying is CancellationError)
    }

    @Test func storeErrorHasCodeKeyPathAndOffset() {
        let error = StoreError(
            .damaged,
            "It is damaged.",
            key: "k",
            path: "/p",
            offset: 7,
            underlying: CancellationError()
        )
        #expect(error.code == StoreError.Code("damaged"))
        #expect(error.code.description == "damaged")
        #expect((error.key, error.path, error.offset) == ("k", "/p", 7))
        #expect(error.localizedDescription == "It is damaged. (CancellationError())")
    }

    @Test func formatErrorIncludesOffset() {
        let error = #expect(throws: StoredValueFormatError.self) { try StoredValue(decoding: [0x03]) }
        #expect(error?.description == "The encoded value is invalid at byte 1: truncated.")
    }
}
