import LarderTestSupport
import Testing

/// What must not compile, and what the compiler says then.
@Suite(.enabled(if: CompilerCheck.isPossible))
struct CompilationTests {
    @Test func aKeyThatIsNotOptionalNeedsADefault() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import LarderDefaults

                let optional = DefaultsKey<Int?>("n")
                let optionalWithDefault = DefaultsKey<Int?>("n", defaultValue: 1)
                let number = DefaultsKey<Int>("n")  // expected-error {{A key that is not optional needs a default}}
                let list = DefaultsKey<[String]>("n")  // expected-error {{A key that is not optional needs a default}}
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    @Test func aTypeThatDoesNotSayHowItIsStoredDoesNotCompile() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import LarderDefaults

                struct Item {}
                let item = DefaultsKey<Item?>("item")  // expected-error {{type 'Item' does not conform to protocol 'DefaultsSerializable'}} expected-error {{requires that 'Item' conform to 'DefaultsSerializable'}}
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    @Test func aGlobalKeyOfATypeThatIsNotSendableDoesNotCompile() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import LarderDefaults

                final class Note: Codable, DefaultsSerializable { var text = "" }  // expected-note {{does not conform to the 'Sendable' protocol}}
                let sendable = DefaultsKey<String>("name", defaultValue: "")
                let note = DefaultsKey<Note?>("note")  // expected-error {{is not concurrency-safe}} expected-note {{disable concurrency-safety checks}} expected-note {{add '@MainActor'}}
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }
}
