import LarderDefaults
import Testing

/// A standalone key as a global, which Swift 6 allows because a key is `Sendable` if its value is.
private let greeting = DefaultsKey<String>("greeting", defaultValue: "hello")

struct DefaultsKeyTests {
    @Test func keyHasNameAndDefault() {
        #expect(greeting._key == "greeting")
        #expect(greeting.defaultValue == "hello")
    }

    @Test func arrayKeyCanHaveArrayDefault() {
        #expect(DefaultsKey<[Int]>("n", defaultValue: [1, 2]).defaultValue == [1, 2])
    }

    @Test func optionalKeyNeedsNoDefault() {
        #expect(DefaultsKey<Int?>("n").defaultValue == nil)
        #expect(DefaultsKey<[String]?>("n").defaultValue == nil)
    }

    @Test func optionalKeyCanHaveDefault() {
        #expect(DefaultsKey<Int?>("n", defaultValue: 3).defaultValue == 3)
    }
}
