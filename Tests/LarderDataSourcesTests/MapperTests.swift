import Foundation
import LarderCore
import LarderDataSources
import LarderStores
import LarderTesting
import Testing

struct MapperTests {
    private struct Item: Codable, Equatable { var id: Int }
    private let key = KeyQuery("k")

    // Behaviors 46 to 50.
    @Test func mapperCallsSourceOnceAndMapsEachValueOnce() throws {
        let spy = DataSourceSpy<Int>()
        let mapped = Recorder<String>()
        let source = DataSourceMapper<Int, String>(
            dataSource: spy,
            toInMapper: ClosureMapper { (text: String) in
                mapped.add("in")
                return text.count
            },
            toOutMapper: ClosureMapper { (number: Int) in
                mapped.add("out")
                return String(repeating: "x", count: number)
            }
        )
        try source.put("xx", in: key).get()
        #expect(try source.get(key).get() == "xx")
        try source.putAll(["x", "xx"], in: key).get()
        #expect(try source.getAll(key).get() == ["x", "xx"])
        try source.delete(key).get()
        #expect(spy.calls.map(\.description) == ["put k", "get k", "putAll k", "getAll k", "delete k"])
        #expect(mapped.values == ["in", "out", "out", "in", "in", "out", "out", "out", "out"])
    }

    // Behaviors 51 to 54.
    @Test func listIsStoredAsOneSerializedValue() throws {
        let spy = DataSourceSpy<String>()
        let source = SerializationDataSourceMapper(
            spy,
            spy,
            spy,
            StringToModelMapper(Item.self),
            StringToListModelMapper([Item].self),
            ModelToStringMapper<Item>(),
            ListModelToStringMapper<Item>()
        )
        #expect(try source.put(Item(id: 1), in: key).get() == Item(id: 1))
        #expect(try source.get(key).get() == Item(id: 1))
        #expect(try source.putAll([Item(id: 2)], in: key).get() == [Item(id: 2)])
        #expect(try source.getAll(key).get() == [Item(id: 2)])
        #expect(throws: CoreError.IllegalArgument.self) { try source.put(nil, in: key).get() }
        try source.delete(key).get()
        #expect(spy.calls.map(\.verb) == ["put", "get", "put", "get", "put", "delete"])
    }

    // Behavior 55.
    @Test func modelsRoundTripThroughStringsAndInvalidStringThrows() throws {
        let text = try ModelToStringMapper<Item>().map(Item(id: 1))
        #expect(text == #"{"id":1}"#)
        #expect(try StringToModelMapper(Item.self).map(text) == Item(id: 1))
        let list = try ListModelToStringMapper<Item>().map([Item(id: 1)])
        #expect(try StringToListModelMapper([Item].self).map(list) == [Item(id: 1)])
        #expect(throws: CoreError.DataSerialization.self) { try StringToModelMapper(Item.self).map("{") }
        #expect(throws: CoreError.DataSerialization.self) { try StringToListModelMapper([Item].self).map("{}") }
        #expect(throws: CoreError.DataSerialization.self) { try ModelToStringMapper<Double>().map(.nan) }
    }

    // Behavior 56.
    @Test(arguments: [true, false])
    func modelsRoundTripThroughBytesAndInvalidBytesThrow(isJSON: Bool) throws {
        let format: CodableFormat = isJSON ? .json : .propertyList
        let data = try EncodableToDataMapper<Item>(format).map(Item(id: 1))
        #expect(try DataToDecodableMapper(Item.self, format).map(data) == Item(id: 1))
        #expect(throws: CoreError.DataSerialization.self) {
            try DataToDecodableMapper(Item.self, format).map(Data([0]))
        }
    }

    /// The test runs in a separate process, because Foundation's decoder can crash.
    @Test func decodingCorruptPropertyListNeverCrashes() async {
        await #expect(processExitsWith: .success) {
            let whole = try EncodableToDataMapper<[UInt64]>(.propertyList).map([.max])
            let mapper = DataToDecodableMapper([UInt64].self, .propertyList)
            for index in whole.indices {
                for byte in (0..<8).map({ whole[index] ^ 1 << $0 }) + [0xFF] {
                    var damaged = whole
                    damaged[index] = byte
                    do { _ = try mapper.map(damaged) } catch is CoreError.DataSerialization {}
                }
            }
        }
    }

    // Behavior 58.
    @Test func eachBasicMapperConvertsAsDocumented() throws {
        #expect(IdentityMapper<Int>().map(1) == 1)
        #expect(try ClosureMapper { (number: Int) in "\(number)" }.map(1) == "1")
        #expect(throws: CoreError.NotImplemented.self) { try VoidMapper<Int, String>().map(1) }
        #expect(try CastMapper<Any, Int>().map(1) == 1)
        #expect(throws: CoreError.Failed.self) { try CastMapper<Any, Int>().map("1") }
        let both = ClosureMapper { (number: Int) in "\(number)" }.followed(
            by: ClosureMapper { (text: String) in text + "!" }
        )
        #expect(try both.map(1) == "1!")
        let page = PaginationOffsetLimit(values: [1], offset: 2, limit: 3, size: 4)
        let mapped = try PaginationOffsetLimitMapper(ClosureMapper { (number: Int) in "\(number)" }).map(page)
        #expect(mapped == PaginationOffsetLimit(values: ["1"], offset: 2, limit: 3, size: 4))
    }

    @Test func eachElementOfCollectionIsMapped() throws {
        let mapper = ClosureMapper { (number: Int) in "\(number)" }
        #expect(try mapper.map([1, 2]) == ["1", "2"])
        #expect(try mapper.map(["a": 1]) == ["a": "1"])
        #expect(try mapper.map(Set([1])) == ["1"])
    }

    @Test func mapperConvertsBetweenTypesWithSameEncoding() throws {
        struct Other: Codable, Equatable { var id: Int? }
        #expect(try EncodableToDecodableMapper<Item, Other>().map(Item(id: 1)) == Other(id: 1))
    }

    @Test func bytesRoundTripThroughBase64AndHexStrings() throws {
        let data = Data([0, 171, 255])
        #expect(DataToBase64StringMapper().map(data) == "AKv/")
        #expect(try Base64StringToDataMapper().map("AKv/") == data)
        #expect(DataToHexStringMapper().map(data) == "00abff")
        #expect(try HexStringToDataMapper().map("00ABff") == data)
        #expect(try HexStringToDataMapper().map("") == Data())
        #expect(throws: CoreError.DataSerialization.self) { try Base64StringToDataMapper().map("🙂") }
        for text in ["0", "0g", "abc", "🙂"] {
            #expect(throws: CoreError.DataSerialization.self) { try HexStringToDataMapper().map(text) }
        }
    }

    @Test func codableModelsAreStoredAsStringsOrBytes() throws {
        let store = MemoryStore()
        let texts = DeviceStorageDataSource<String>(store, prefix: "t").codable(Item.self)
        let bytes = DeviceStorageDataSource<Data>(store, prefix: "d").codable(Item.self, format: .propertyList)
        for source in [texts, bytes] {
            try source.put(Item(id: 1), forId: "one").get()
            #expect(try source.get("one").get() == Item(id: 1))
            try source.putAll([Item(id: 2)], forId: "list").get()
            #expect(try source.getAll("list").get() == [Item(id: 2)])
            #expect(throws: CoreError.DataSerialization.self) { try source.get("list").get() }
        }
        #expect(try store.keys() == ["d.list", "d.one", "t.list", "t.one"])
    }
}

struct ValidationTests {
    private struct Stamped: TimestampValidated, InvalidationValidated {
        var lastUpdate: Date?
        var expiryTime = ExpiryTime.after(.seconds(10))
        var isInvalidated = false
    }

    private struct Says: ValidationStrategy {
        let answer: ValidationState
        let asked: Recorder<Int>
        func state<T>(of object: T) -> ValidationState {
            asked.add(1)
            return answer
        }
    }

    private let time = ManualTimeSource()
    private var strategy: TimestampValidationStrategy { TimestampValidationStrategy(time: time) }

    // Behavior 61.
    @Test(arguments: [(ValidationState.valid, true), (.invalid, false)])
    func firstConclusiveValidationStrategyDecides(answer: ValidationState, isValid: Bool) {
        let asked = Recorder<Int>()
        let service = ValidationService<Int>([
            Says(answer: .unknown, asked: asked), Says(answer: answer, asked: asked),
            Says(answer: .unknown, asked: asked),
        ])
        #expect(service.isObjectValid(1) == isValid)
        #expect(asked.values.count == 2)
        #expect(!ValidationService<Int>([]).isObjectValid(1))
        #expect(ValidationService<Int>([], isValidByDefault: true).isObjectValid(1))
    }

    // Behavior 62.
    @Test func expiredValueIsInvalid() {
        let service = ValidationService<Stamped>([strategy])
        let fresh = Stamped(lastUpdate: time.now)
        time.advance(by: .seconds(9))
        #expect(service.isObjectValid(fresh))
        let younger = Stamped(lastUpdate: time.now)
        time.advance(by: .seconds(1))
        #expect(!service.isObjectValid(fresh))
        #expect(!service.isListValid([younger, fresh]))
        #expect(service.isListValid([younger]))
    }

    @Test func valueWithoutTimeLimitNeverExpires() {
        let old = Stamped(lastUpdate: .distantPast, expiryTime: .never)
        #expect(strategy.state(of: old) == .valid)
    }

    @Test func valueWithFutureTimestampIsInvalid() {
        #expect(strategy.state(of: Stamped(lastUpdate: time.now.addingTimeInterval(59))) == .valid)
        #expect(strategy.state(of: Stamped(lastUpdate: time.now.addingTimeInterval(61))) == .invalid)
    }

    @Test func validityOfValueWithoutTimestampIsUnknown() {
        #expect(strategy.state(of: Stamped(lastUpdate: nil)) == .unknown)
        #expect(strategy.state(of: 1) == .unknown)
    }

    @Test func valueMarkedAsInvalidatedIsInvalid() {
        #expect(InvalidationStrategy().state(of: Stamped(isInvalidated: true)) == .invalid)
        #expect(InvalidationStrategy().state(of: Stamped()) == .unknown)
    }

    @Test func allValuesAreValidWhileNetworkIsUnreachable() {
        #expect(ReachabilityStrategy { false }.state(of: 1) == .valid)
        #expect(ReachabilityStrategy { true }.state(of: 1) == .unknown)
    }
}

struct QueryKeyTests {
    // Behavior 41.
    @Test func allObjectsQueryIsNotKeyQuery() {
        #expect(AllObjectsQuery().selection == .all)
        #expect(!((AllObjectsQuery() as any Query) is any KeyQuery))
    }

    // Behaviors 42 and 43.
    @Test func identifierKeyIsIdentifierString() {
        #expect(IdQuery(42).key == "42")
        #expect(StringIdQuery("a").key == "a")
        #expect(IntegerIdQuery(7).key == "7")
        #expect(IntegerIdsQuery([1, 2]).selection == .keys(["1", "2"]))
        #expect(KeyQuery("k").selection == .key("k"))
    }

    // Behaviors 44 and 45.
    @Test func pageQueriesHaveDistinctKeys() {
        #expect(PaginationQuery("x").key == "x")
        #expect(PaginationOffsetLimitQuery("x", 10, 5).key == "x-10-5")
        #expect(PaginationPageQuery("x", page: 2, size: 5).key == "x-page-2-5")
    }

    @Test func keyConvertibleValueCanBeUsedAsQuery() {
        #expect(ObjectQuery("a").key == "a")
        #expect(ObjectsQuery(["a", "b"]).selection == .keys(["a", "b"]))
        #expect(ObjectsQuery([1.5]).values == [1.5])
    }
}
