import LarderDefaults
import Testing

/// A free-standing key is a global in Swift 6: it is Sendable because its value is.
private let greeting = DefaultsKey<String>("greeting", defaultValue: "hello")

struct DefaultsKeyTests {
    @Test func aKeyHasItsNameAndDefault() {
        #expect(greeting._key == "greeting")
        #expect(greeting.defaultValue == "hello")
    }

    @Test func aKeyOfAnArrayHasAnArrayForDefault() {
        #expect(DefaultsKey<[Int]>("n", defaultValue: [1, 2]).defaultValue == [1, 2])
    }

    @Test func anOptionalKeyNeedsNoDefault() {
        #expect(DefaultsKey<Int?>("n").defaultValue == nil)
        #expect(DefaultsKey<[String]?>("n").defaultValue == nil)
    }

    @Test func anOptionalKeyMayHaveADefault() {
        #expect(DefaultsKey<Int?>("n", defaultValue: 3).defaultValue == 3)
    }
}
