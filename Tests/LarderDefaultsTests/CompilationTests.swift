import LarderTestSupport
import Testing

/// Tests that invalid code does not compile, and that the compiler's messages contain the expected advice.
@Suite(.enabled(if: CompilerCheck.isPossible))
struct CompilationTests {
    @Test func nonOptionalKeyWithoutDefaultDoesNotCompile() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import LarderDefaults

                let optional = DefaultsKey<Int?>("n")
                let optionalWithDefault = DefaultsKey<Int?>("n", defaultValue: 1)
                let number = DefaultsKey<Int>("n")  // expected-error {{A key whose type is not optional needs a default}}
                let list = DefaultsKey<[String]>("n")  // expected-error {{A key whose type is not optional needs a default}}
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    @Test func keyOfUnstorableTypeDoesNotCompile() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import LarderDefaults

                struct Item {}
                let item = DefaultsKey<Item?>("item")  // expected-error {{type 'Item' does not conform to protocol 'DefaultsSerializable'}} expected-error {{requires that 'Item' conform to 'DefaultsSerializable'}}
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    @Test func globalKeyOfNonSendableTypeDoesNotCompile() throws {
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

    @Test func compilerErrorForEmptyConformanceSuggestsFix() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import LarderDefaults

                struct Item: DefaultsSerializable {}  // expected-error {{type 'Item' does not conform}} expected-error {{This type has no stored form. Make it Codable}}
                enum Bare: DefaultsSerializable { case one }  // expected-error {{type 'Bare' does not conform}} expected-error {{This type has no stored form. Make it Codable}}
                enum Raw: String, DefaultsSerializable { case one }
                struct Point: Codable, DefaultsSerializable { var x = 0 }
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    @Test func containersOfUnstorableTypesDoNotCompile() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import Foundation
                import LarderDefaults

                struct Item {}
                func keys() {
                    _ = DefaultsKey<[Item]>("list", defaultValue: [])  // expected-error {{type 'Item' does not conform to protocol 'DefaultsSerializable'}} expected-error {{that 'Item' conform to 'DefaultsSerializable'}}
                    _ = DefaultsKey<[String: Item]>("entries", defaultValue: [:])  // expected-error {{type 'Item' does not conform to protocol 'DefaultsSerializable'}} expected-error {{that 'Item' conform to 'DefaultsSerializable'}}
                    _ = DefaultsKey<[Date: Int]>("dates", defaultValue: [:])  // expected-error {{type 'Date' does not conform to protocol 'DefaultsDictionaryKey'}} expected-error {{that 'Date' conform to 'DefaultsDictionaryKey'}}
                    _ = DefaultsKey<[[String: Set<Int>?]]>("fine", defaultValue: [])
                }
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    @Test func typeConformingToCodableAndNSCodingMustChooseBridge() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import Foundation
                import LarderDefaults

                final class Both: NSObject, Codable, NSCoding, DefaultsSerializable {  // expected-error {{does not conform to protocol 'DefaultsSerializable'}} expected-error {{Conform to DefaultsPreferCodable or DefaultsPreferNSCoding}}
                    override init() {}
                    init?(coder: NSCoder) {}
                    func encode(with coder: NSCoder) {}
                }
                final class Said: NSObject, Codable, NSCoding, DefaultsSerializable {
                    static var _defaults: DefaultsBridge<Said> { DefaultsCodableBridge() }
                    override init() {}
                    init?(coder: NSCoder) {}
                    func encode(with coder: NSCoder) {}
                }
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    @Test func compilerErrorForUnsupportedBridgeTypeSuggestsFix() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import LarderDefaults

                struct NewtBridge {}
                struct Newt: DefaultsSerializable {  // expected-error {{type 'Newt' does not conform}} expected-error {{The type of the property must be DefaultsBridge or a subclass}}
                    static var _defaults: NewtBridge { NewtBridge() }
                }
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    @Test func compilerErrorForSwiftyUserDefaults4SyntaxSuggestsFix() throws {
        let unexpected = try CompilerCheck.unexpectedErrors(
            of: """
                import LarderDefaults

                extension DefaultsKeys {
                    static let visits = DefaultsKey<Int>("visits", defaultValue: 0)
                    var level: DefaultsKey<Int> { .init("level", defaultValue: 0) }
                }
                func use() {
                    print(Defaults[DefaultsKeys.visits])  // expected-error {{Write Defaults[key: k] for a standalone key}}
                    Defaults[DefaultsKeys.visits] = 3  // expected-error {{Write Defaults[key: k] for a standalone key}}
                    print("\\(Defaults[.visits])")  // expected-error {{member 'visits' in 'DefaultsKeys' produces result of type 'DefaultsKey<Int>'}}
                    Defaults[.visits] = 3  // expected-error {{member 'visits' in 'DefaultsKeys' produces result of type 'DefaultsKey<Int>'}}
                    Defaults[\\.level] += 1
                }
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    @Test func assigningValueOfAnotherTypeDoesNotCompile() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import LarderDefaults

                extension DefaultsKeys { var count: DefaultsKey<Int> { .init("count", defaultValue: 0) } }
                func write() {
                    Defaults.count = "three"  // expected-error {{cannot assign value of type 'String' to}}
                    Defaults.count = 3
                }
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }
}
