import LarderCore
import LarderDataSources
import LarderStores
import Testing

struct DataSourceMapperTests {
    private struct Temperature: Equatable { var degrees: Double }
    private struct TooCold: Error {}

    private struct ToText: Mapper {
        func map(_ from: Temperature) throws -> String {
            guard from.degrees >= -273.15 else { throw TooCold() }
            return "\(from.degrees)"
        }
    }

    private struct FromText: Mapper {
        func map(_ from: String) throws -> Temperature {
            guard let degrees = Double(from) else { throw CoreError.DataSerialization() }
            return Temperature(degrees: degrees)
        }
    }

    private let store = MemoryStore()
    private var source: DataSourceMapper<String, Temperature> {
        DataSourceMapper(
            dataSource: DeviceStorageDataSource<String>(store),
            toInMapper: ToText(),
            toOutMapper: FromText()
        )
    }

    @Test func mappedValueIsStoredAndReadBack() throws {
        #expect(try source.put(Temperature(degrees: 20.5), forId: "t").get() == Temperature(degrees: 20.5))
        #expect(try store.get("t") == "20.5")
        #expect(try source.get("t").get() == Temperature(degrees: 20.5))
    }

    @Test func eachElementOfListIsMapped() throws {
        let list = [Temperature(degrees: 1), Temperature(degrees: 2)]
        #expect(try source.putAll(list, forId: "l").get() == list)
        #expect(try source.getAll("l").get() == list)
    }

    @Test func putFailsAndChangesNothingIfMapperThrows() throws {
        source.put(Temperature(degrees: 1), forId: "t")
        #expect(throws: TooCold.self) { try source.put(Temperature(degrees: -300), forId: "t").get() }
        #expect(throws: TooCold.self) { try source.putAll([Temperature(degrees: -300)], forId: "t").get() }
        #expect(try store.get("t") == "1.0")
    }

    @Test func readFailsIfMapperThrows() throws {
        try store.set("warm", for: "t")
        #expect(throws: CoreError.DataSerialization.self) { try source.get("t").get() }
    }

    @Test func mapperForwardsNilAndDeletionsToUnderlyingSource() throws {
        #expect(throws: CoreError.IllegalArgument.self) { try source.put(nil, forId: "t").get() }
        source.put(Temperature(degrees: 1), forId: "t")
        try source.delete("t").get()
        #expect(throws: CoreError.NotFound.self) { try source.get("t").get() }
    }
}
