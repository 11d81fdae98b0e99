import LarderTestSupport
import Testing

/// Tests which code compiles, and which messages the compiler prints for code that must not compile.
@Suite(.enabled(if: CompilerCheck.isPossible))
struct CompilationTests {
    @Test func unsupportedTypeErrorSuggestsMapper() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import Foundation
                import LarderCore
                import LarderDataSources

                struct Item {}

                func incompatible(_ userDefaults: UserDefaults, _ store: any KeyValueStore) {
                    _ = DeviceStorageDataSource<Item>()  // expected-error {{Map any other type to one of them with DataSourceMapper<In, Out>.}}
                    _ = DeviceStorageDataSource<Item>(prefix: "p")  // expected-error {{DataSourceMapper<In, Out>}}
                    _ = DeviceStorageDataSource<[Item]>(userDefaults)  // expected-error {{DataSourceMapper<In, Out>}}
                    _ = DeviceStorageDataSource<[String: Item]>(userDefaults, prefix: "p")  // expected-error {{DataSourceMapper<In, Out>}}
                    _ = DeviceStorageDataSource<Item>(store)  // expected-error {{DataSourceMapper<In, Out>}}
                    _ = DeviceStorageDataSource<[Int: String]>(store, prefix: "p")  // expected-error {{DataSourceMapper<In, Out>}}
                    _ = DeviceStorageDataSource<Int?>()  // expected-error {{DataSourceMapper<In, Out>}}
                }
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    @Test func sourcesOfSupportedTypesCompile() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import Foundation
                import LarderCore
                import LarderDataSources

                func compatible(_ userDefaults: UserDefaults, _ store: any KeyValueStore) {
                    _ = DeviceStorageDataSource<Double>()
                    _ = DeviceStorageDataSource<UInt8>(prefix: "p")
                    _ = DeviceStorageDataSource<[String: [[URL]]]>(userDefaults)
                    _ = DeviceStorageDataSource<[Date]>(userDefaults, prefix: "p")
                    _ = DeviceStorageDataSource<Data>(store)
                    _ = DeviceStorageDataSource<Bool>(store, prefix: "p", policy: .strict)
                }
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    @Test func unsupportedQueryDoesNotCompile() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import LarderCore
                import LarderDataSources

                struct ByColour: Query {}

                func ask(_ source: DeviceStorageDataSource<Int>) {
                    _ = source.get(ByColour())  // expected-error {{requires that 'ByColour' conform to 'KeyConvertible'}}
                    _ = source.put(1, in: ByColour())  // expected-error {{'ByColour' does not conform to expected type 'KeyQuery'}}
                }
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    // Behaviors 11 to 15.
    @Test func voidQueryDoesNotCompileOnConcreteSource() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import LarderDataSources

                func ask(_ source: DeviceStorageDataSource<Int>) {
                    _ = source.get(VoidQuery())  // expected-error {{requires that 'VoidQuery' conform to 'KeyConvertible'}}
                    _ = source.getAll(VoidQuery())  // expected-error {{requires that 'VoidQuery' conform to 'KeyConvertible'}}
                    source.put(1, in: VoidQuery())  // expected-error {{'VoidQuery' does not conform to expected type 'KeyQuery'}}
                    source.putAll([1], in: VoidQuery())  // expected-error {{'VoidQuery' does not conform to expected type 'StoreQuery'}}
                    source.delete(VoidQuery())  // expected-error {{requires that 'VoidQuery' conform to 'KeyConvertible'}}
                    source.put(1, in: AllObjectsQuery())  // expected-error {{'AllObjectsQuery' does not conform to expected type 'KeyQuery'}}
                }
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    @Test func assemblerAcceptsOnlyDeviceStorageOfStrings() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import Foundation
                import LarderDataSources

                @available(*, deprecated)
                func assemble(_ source: DeviceStorageDataSource<Data>) {
                    _ = DeviceStorageObjectAssemblerDataSource(
                        ModelToStringMapper<Int>(), StringToModelMapper(Int.self),
                        ListModelToStringMapper<Int>(), StringToListModelMapper([Int].self),
                        source)  // expected-error {{cannot convert value of type 'DeviceStorageDataSource<Data>'}} expected-note {{'Data' and 'String'}}
                }
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    @Test func identifierWithoutStorageKeyDoesNotCompile() throws {
        let unexpected = try CompilerCheck.unexpectedDiagnostics(
            of: """
                import LarderDataSources

                struct Colour: Hashable {}

                func ask(_ source: DeviceStorageDataSource<Int>) {
                    source.put(1, forId: Colour())  // expected-error {{requires that 'Colour' conform to 'KeyConvertible'}}
                }
                """
        )
        #expect(unexpected.isEmpty, "\(unexpected)")
    }
}
