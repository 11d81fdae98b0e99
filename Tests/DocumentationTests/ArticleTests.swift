import Foundation
import Larder
import Testing

// The code in the articles of LarderDataSources. The last test compares this code with the articles.

// Queries
enum Player: String, KeyConvertible {
    case alice, bob
}

struct MonthQuery: KeyQuery {
    let year: Int
    let month: Int
    var key: String { "\(year)-\(month)" }
}

struct SearchQuery: Query {
    let text: String
}

struct Directory: GetDataSource {
    let names: [String]

    func get(_ query: SearchQuery) -> Future<String> { getAll(query).map { try $0.first ?? notFound() } }
    func getAll(_ query: SearchQuery) -> Future<[String]> { Future(names.filter { $0.contains(query.text) }) }

    private func notFound() throws -> String { throw CoreError.NotFound() }
}
// end

// Mapping
struct Fruit: Codable {
    var name: String
    var weight: Double
}

struct Item: Codable, Equatable {
    var title: String
    var price: Double
}

struct CelsiusToText: Mapper {
    func map(_ celsius: Measurement<UnitTemperature>) -> String { "\(celsius.converted(to: .celsius).value)" }
}

struct TextToCelsius: Mapper {
    func map(_ text: String) throws -> Measurement<UnitTemperature> {
        guard let value = Double(text) else { throw CoreError.DataSerialization() }
        return Measurement(value: value, unit: .celsius)
    }
}
// end

/// Runs the first code block of each article, which does not depend on other code, and returns what it stored and read.
private func firstCode() throws -> (keys: [String], name: String, news: String) {
    let (ages, fruits, news) = (try firstQueries(), try firstMapping(), try firstCaching())
    return (try ages.keys() + fruits.0.keys() + news.0.keys(), fruits.1, news.1)
}

private func firstQueries() throws -> MemoryStore {
    // Queries
    let store = MemoryStore()  // or StandardStore.shared, the device's storage
    let ages = DeviceStorageDataSource<Int>(store, prefix: "Age")
    ages.putAll([41, 17], in: IdsQuery(["ann", "ben"]))
    print(try ages.get("ann").get(), try ages.getAll(AllObjectsQuery()).get())  // 41 [41, 17]
    // end
    #expect(try ages.get("ann").get() == 41)
    #expect(try ages.getAll(AllObjectsQuery()).get() == [41, 17])
    return store
}

private func firstMapping() throws -> (MemoryStore, String) {
    // Mapping
    let store = MemoryStore()  // or StandardStore.shared, the device's storage
    let fruits = DeviceStorageDataSource<String>(store, prefix: "Fruit").codable(Fruit.self)
    fruits.put(Fruit(name: "Pear", weight: 0.5), forId: "1")
    print(try fruits.get("1").get().name)  // Pear
    // end
    return (store, try fruits.get("1").get().name)
}

private func firstCaching() throws -> (MemoryStore, String) {
    // CachesAndOffline
    let store = MemoryStore()  // or StandardStore.shared, the device's storage
    let server = InMemoryDataSource<String>()  // in an app: a data source that calls your server
    server.put("Hello", forId: "1")

    let news = CacheRepository(main: server, cache: DeviceStorageDataSource<String>(store, prefix: "News"))
    print(try news.get(KeyQuery("1")).get())  // Hello
    // end
    return (store, try news.get(KeyQuery("1"), operation: .cache).get())
}

private func queries(_ store: any KeyValueStore) throws -> (alice: Int, both: [Int], all: [Int], found: [String]) {
    // Queries
    let source = DeviceStorageDataSource<Int>(store, storageType: .escapedPrefix("Score"))

    source.put(10, in: KeyQuery("alice"))  // a key
    source.put(20, in: .key("bob"))  // a key, with less typing
    source.put(30, forId: "carol")  // an identifier: IdQuery("carol")
    source.put(40, in: IdQuery(7))  // integers and UUIDs are identifiers too

    let alice = try source.get(Player.alice).get()  // 10

    source.putAll([1, 2, 3], forId: "rounds")  // one value: the list
    source.putAll([11, 21], in: IdsQuery(["alice", "bob"]))  // two values

    let both = try source.getAll(IdsQuery(["bob", "alice"])).get()  // [21, 11], in the order of the identifiers
    let all = try source.getAll(AllObjectsQuery()).get()  // all values and the elements of all lists, by key
    source.delete(IdsQuery(["alice"]))

    source.put(5, in: MonthQuery(year: 2026, month: 11))

    let found = try Directory(names: ["Ada", "Adam", "Eve"]).getAll(SearchQuery(text: "Ada")).get()  // ["Ada", "Adam"]
    // end
    return (alice, both, all, found)
}

private func mapping(_ store: any KeyValueStore) throws -> (tea: Item, text: String, dearer: Double) {
    // Mapping
    let items = DeviceStorageDataSource<String>(store, storageType: .escapedPrefix("Item")).codable(Item.self)
    items.put(Item(title: "Tea", price: 3.5), forId: "1")
    items.putAll([Item(title: "Tea", price: 3.5), Item(title: "Jam", price: 4)], forId: "basket")
    let tea = try items.get("1").get()

    let temperatures = DataSourceMapper<String, Measurement<UnitTemperature>>(
        dataSource: DeviceStorageDataSource<String>(store, storageType: .escapedPrefix("Temperature")),
        toInMapper: CelsiusToText(),
        toOutMapper: TextToCelsius()
    )
    temperatures.put(Measurement(value: 21.5, unit: .celsius), forId: "kitchen")

    let hexadecimal = DataToHexStringMapper()
    let shortened = hexadecimal.followed(by: ClosureMapper { String($0.prefix(8)) })
    let text = try shortened.map(Data([0xDE, 0xAD, 0xBE, 0xEF, 0x00]))  // "deadbeef"

    let obscured = DataSourceMapper<String, Data>(
        dataSource: DeviceStorageDataSource<String>(store, storageType: .escapedPrefix("Obscured")),
        toInMapper: DataToBase64StringMapper(),
        toOutMapper: Base64StringToDataMapper()
    ).codable(Item.self)
    obscured.put(Item(title: "Tea", price: 3.5), forId: "1")

    items.update(KeyQuery("1")) { item in item?.price += 0.5 }
    let dearer = try items.get("1").get().price  // 4.0
    // end
    #expect(try temperatures.get("kitchen").get().value == 21.5)
    #expect(try obscured.get("1").get() == tea)
    return (tea, text, dearer)
}

private func reading(
    _ store: any KeyValueStore,
    _ server: InMemoryDataSource<String>
) throws -> (article: String, offline: String, stored: Stored<String>) {
    // CachesAndOffline
    let cache = ExpiringDataSource(
        DeviceStorageDataSource<String>(store, storageType: .escapedPrefix("Article")),
        lifetime: CacheLifetime(fresh: .seconds(3600), missing: .seconds(60), jitter: 0.1),
        stamps: .stored(in: store, prefix: "Article-age")
    )
    let articles = CacheRepository(main: server, cache: cache)

    let article = try articles.get(KeyQuery("42")).get()
    let offline = try articles.get(KeyQuery("42"), operation: .cacheSync { _ in true }).get()

    let stored = try articles.getStored(KeyQuery("42"), maximumAge: .seconds(600)).get()
    print(stored.value, stored.origin, stored.age ?? .zero, stored.isFallback)

    let patient = CacheRepository(main: server, cache: cache, timeLimit: .seconds(300))
    // end
    #expect(try patient.get(KeyQuery("42")).get() == article)
    return (article, offline, stored)
}

private func writing(
    _ store: any KeyValueStore,
    _ server: InMemoryDataSource<String>,
    _ cache: InMemoryDataSource<String>
) async throws -> String {
    // CachesAndOffline
    let outbox = OutboxDataSource<String>(main: server, store: store, name: "articles")
    let editable = CacheRepository(main: outbox, cache: cache)

    let saved = try await editable.put("A new text", in: KeyQuery("42")).value  // also without a network
    try await outbox.replay().value  // when the network is back
    // end
    return saved
}

private struct NoInternet: Error {}

private struct Dated: TimestampValidated, Sendable {
    var lastUpdate: Date?
    var expiryTime: ExpiryTime { .never }
}

private func harmony(
    _ network: InMemoryDataSource<Dated>,
    _ storage: InMemoryDataSource<Dated>,
    _ query: StringKeyQuery
) async throws -> (pi: Double, items: [Dated]) {
    // ComingFromHarmony
    // let dataSource = DeviceStorageDataSource<Double>(UserDefaults.standard, prefix: "Double")
    let dataSource = DeviceStorageDataSource<Double>(UserDefaults.standard, prefix: "Double")

    // dataSource.put(3.14159265359, forId: "pi").then { _ in }
    dataSource.put(3.14159265359, forId: "pi")  // complete when the call returns

    // dataSource.get("pi").then { pi in print(pi) }.fail { error in print(error) }
    dataSource.get("pi").then { pi in print(pi) }.fail { error in print(error) }  // 3.14159265359

    // let pi = try await AsyncDataSourceWrapper(dataSource).get(IdQuery("pi"))
    let pi = try await dataSource.get("pi").value

    // CacheRepository(main: network, cache: storage, validator: VastraService([VastraTimestampStrategy()]))
    let repository = CacheRepository(
        main: network,
        cache: storage,
        validator: ValidationService([TimestampValidationStrategy()])
    )

    // repository.get(query, operation: CacheSyncOperation(fallback: { $0 is NoInternet }))
    let item = try await repository.get(query, operation: .cacheSync { $0.mainError is NoInternet }).value

    // repository.toGetByQueryInteractor(executor).execute(query)
    let getItem = repository.toGetInteractor()
    let again = try await getItem(query).value
    // end
    return (pi, [item, again])
}

@Suite struct ArticleTests {
    private let store = MemoryStore()

    @Test func firstCodeBlockOfEachArticleRunsAsDocumented() throws {
        let results = try firstCode()
        #expect(results.keys == ["Age.ann", "Age.ben", "Fruit.1", "News.1"])
        #expect(results.name == "Pear")
        #expect(results.news == "Hello")
    }

    @Test func queriesArticleCodeRunsAsDocumented() throws {
        let results = try queries(store)
        #expect(results.alice == 10)
        #expect(results.both == [21, 11])
        #expect(results.all == [40, 11, 21, 30, 1, 2, 3])
        #expect(results.found == ["Ada", "Adam"])
        #expect(try store.keys() == ["Score.2026-11", "Score.7", "Score.bob", "Score.carol", "Score.rounds"])
    }

    @Test func mappingArticleCodeRunsAsDocumented() throws {
        let results = try mapping(store)
        #expect(results.tea == Item(title: "Tea", price: 3.5))
        #expect(results.text == "deadbeef")
        #expect(results.dearer == 4.0)
    }

    @Test func cachesArticleCodeRunsAsDocumented() async throws {
        let server = InMemoryDataSource<String>()
        server.put("text", forId: "42")
        let results = try reading(store, server)
        #expect(results.article == "text" && results.offline == "text")
        #expect(results.stored.origin == .memory && !results.stored.isFallback)
        #expect(try await writing(store, server, InMemoryDataSource()) == "A new text")
        #expect(try await server.get("42").value == "A new text")
    }

    @Test func harmonyArticleCodeRunsAsDocumented() async throws {
        let (network, storage) = (InMemoryDataSource<Dated>(), InMemoryDataSource<Dated>())
        network.put(Dated(lastUpdate: Date()), forId: "1")
        let results = try await harmony(network, storage, KeyQuery("1"))
        UserDefaults.standard.removeObject(forKey: "Double.pi")
        #expect(results.pi == 3.14159265359)
        #expect(results.items.count == 2)
    }

    /// Compares the code without regard to the order of its lines, because this file declares types outside functions.
    @Test(arguments: ["Queries", "Mapping", "CachesAndOffline", "ComingFromHarmony"])
    func articleCodeMatchesTestedCode(article: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let path = root.appending(path: "Sources/LarderDataSources/LarderDataSources.docc/\(article).md")
        let printed = try String(contentsOf: path, encoding: .utf8).matches(of: /```swift\n(?<code>[\s\S]*?)```/)
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let marked = try Regex("// \(article)\n([\\s\\S]*?)\n *// end\n", as: (Substring, Substring).self)
        let tested = source.matches(of: marked)
        #expect(!printed.isEmpty)
        #expect(Self.lines(printed.map(\.code)) == Self.lines(tested.map(\.1)))
    }

    /// Returns the nonempty lines except imports, sorted, with single spaces and without indentation.
    private static func lines(_ texts: [Substring]) -> [String] {
        texts.flatMap { $0.split(separator: "\n") }
            .map { $0.split(separator: " ").joined(separator: " ") }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }.sorted()
    }
}
