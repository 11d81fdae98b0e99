import LarderDefaults
import Testing

/// A standalone key as a global, which Swift 6 allows because a key is `Sendable` if its value is.
private let greeting = DefaultsKey<String>("greeting", defaultValue: "hello")

struct DefaultsKeyTests {
    @Test func keyHasItsNameAndDefault() {
        #expect(greeting._key == "greeting")
        #expect(greeting.defaultValue == "hello")
    }

    @Test func arrayKeyMayHaveAnArrayAsDefault() {
        #expect(DefaultsKey<[Int]>("n", defaultValue: [1, 2]).defaultValue == [1, 2])
    }

    @Test func optionalKeyNeedsNoDefault() {
        #expect(DefaultsKey<Int?>("n").defaultValue == nil)
        #expect(DefaultsKey<[String]?>("n").defaultValue == nil)
    }

    @Test func optionalKeyMayHaveADefault() {
        #expect(DefaultsKey<Int?>("n", defaultValue: 3).defaultValue == 3)
    }
}
