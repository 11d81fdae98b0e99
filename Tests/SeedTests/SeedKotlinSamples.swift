import Foundation
import Larder
import LarderTestSupport
import Testing

// The Kotlin samples of seeds 000 and 003, which are the same, each with its Swift equivalent line beside line. A comment is the
// line as printed; the line below it is what to write here. `gson` is a pair of Foundation's JSON coders, and `sharedPreferences`
// is any `KeyValueStore`.

/// What the samples store; the documents do not show it.
nonisolated struct ItemEntity: Codable, Equatable, Sendable {
    var id: Int
    var by: String
    var title: String
    var text: String
    var type: String
    var time: Int
    var url: String
    var kids: [Int]

    init(
        _ id: Int,
        _ by: String,
        _ title: String,
        _ text: String,
        _ type: String,
        _ time: Int,
        _ url: String,
        _ kids: [Int]
    ) {
        self.id = id
        self.by = by
        self.title = title
        self.text = text
        self.type = type
        self.time = time
        self.url = url
        self.kids = kids
    }
}

/// Kotlin's `emptyList()`.
nonisolated func emptyList<Element>() -> [Element] { [] }

/// "Usage".
private func usage(_ sharedPreferences: any KeyValueStore) {
    // val dataSource = DeviceStorageDataSource<Double>(...)
    let dataSource = DeviceStorageDataSource<Double>(sharedPreferences)

    // dataSource.put("pi", 3.14159265359)
    dataSource.put(3.14159265359, forId: "pi")
    // dataSource.get("pi")
    _ = dataSource.get("pi")
    // dataSource.delete("pi")
    dataSource.delete("pi")
}

/// "SerializationDataSourceMapper", up to its `return`.
private func serializationDataSourceMapper(
    _ deviceStorageDataSource: DeviceStorageDataSource<String>
) -> SerializationDataSourceMapper<ItemEntity> {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    // val toStringMapper = ModelToStringMapper<ItemEntity>(gson)
    let toStringMapper = ModelToStringMapper<ItemEntity>(encoder)
    // val toModelMapper = StringToModelMapper(ItemEntity::class.java, gson)
    let toModelMapper = StringToModelMapper(ItemEntity.self, decoder)
    // val toListModelMapper = ListModelToStringMapper<ItemEntity>(gson)
    let toListModelMapper = ListModelToStringMapper<ItemEntity>(encoder)
    // val toStringListMapper = StringToListModelMapper(object:TypeToken<List<ItemEntity>>() {}, gson)
    let toStringListMapper = StringToListModelMapper([ItemEntity].self, decoder)
    // return SerializationDataSourceMapper(
    return SerializationDataSourceMapper(
        // deviceStorageDataSource,
        deviceStorageDataSource,
        // deviceStorageDataSource,
        deviceStorageDataSource,
        // deviceStorageDataSource,
        deviceStorageDataSource,
        // toModelMapper,
        toModelMapper,
        // toStringListMapper, // List
        toStringListMapper,  // List
        // toStringMapper,
        toStringMapper,
        // toListModelMapper) // List
        toListModelMapper  // List
    )
}

/// "SerializationDataSourceMapper", after its `return`.
private func storeAndFetch(
    _ itemEntityDeviceStorageDataSource: SerializationDataSourceMapper<ItemEntity>
) throws -> ItemEntity {
    // val itemEntity = ItemEntity(123, "by", "title", "text", "type", 123, "url", emptyList())
    let itemEntity = ItemEntity(123, "by", "title", "text", "type", 123, "url", emptyList())

    // Store value with key "1"
    // itemEntityDeviceStorageDataSource.put(KeyQuery("1"), itemEntity).get()
    try itemEntityDeviceStorageDataSource.put(itemEntity, in: KeyQuery("1")).get()

    // Fetch value with key "1"
    // val result = itemEntityDeviceStorageDataSource.get(KeyQuery("1")).get()
    let result = try itemEntityDeviceStorageDataSource.get(KeyQuery("1")).get()
    return result
}

/// "@Deprecated DeviceStorageObjectAssemblerDataSource". Using it warns, so the sample is deprecated itself.
@available(*, deprecated, message: "It shows what is deprecated.")
private func deviceStorageObjectAssemblerDataSource(_ sharedPreferences: any KeyValueStore) throws -> ItemEntity {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    // val toStringMapper = ModelToStringMapper<ItemEntity>(gson)
    let toStringMapper = ModelToStringMapper<ItemEntity>(encoder)
    // val toModelMapper = StringToModelMapper(ItemEntity::class.java, gson)
    let toModelMapper = StringToModelMapper(ItemEntity.self, decoder)
    // val toListModelMapper = ListModelToStringMapper<ItemEntity>(gson)
    let toListModelMapper = ListModelToStringMapper<ItemEntity>(encoder)
    // val toStringListMapper = StringToListModelMapper(object:TypeToken<List<ItemEntity>>() {}, gson)
    let toStringListMapper = StringToListModelMapper([ItemEntity].self, decoder)

    // val deviceStorageDataSource = DeviceStorageDataSource<String>(sharedPreferences)
    let deviceStorageDataSource = DeviceStorageDataSource<String>(sharedPreferences)
    // val itemEntityDeviceStorageDataSource = DeviceStorageObjectAssemblerDataSource(toStringMapper, toModelMapper,
    //     toListModelMapper, toStringListMapper, deviceStorageDataSource)
    let itemEntityDeviceStorageDataSource = DeviceStorageObjectAssemblerDataSource(
        toStringMapper,
        toModelMapper,
        toListModelMapper,
        toStringListMapper,
        deviceStorageDataSource
    )

    // val itemEntity = ItemEntity(123, "by", "title", "text", "type", 123, "url", emptyList())
    let itemEntity = ItemEntity(123, "by", "title", "text", "type", 123, "url", emptyList())

    // Store value with key "1"
    // itemEntityDeviceStorageDataSource.put(KeyQuery("1"), itemEntity).get()
    try itemEntityDeviceStorageDataSource.put(itemEntity, in: KeyQuery("1")).get()

    // Fetch value with key "1"
    // val result = itemEntityDeviceStorageDataSource.get(KeyQuery("1")).get()
    let result = try itemEntityDeviceStorageDataSource.get(KeyQuery("1")).get()
    return result
}

/// Calls the deprecated sample by way of a protocol, so that the call does not warn.
private protocol DeprecatedSample {
    func run(_ sharedPreferences: any KeyValueStore) throws -> ItemEntity
}

private struct AssemblerSample: DeprecatedSample {
    @available(*, deprecated, message: "It shows what is deprecated.")
    func run(_ sharedPreferences: any KeyValueStore) throws -> ItemEntity {
        try deviceStorageObjectAssemblerDataSource(sharedPreferences)
    }
}

/// "Implementation Notes, Kotlin", first sample.
private func twoPrefixes(_ sharedPreferences: any KeyValueStore) {
    // val doubleDataSource = DeviceStorageDataSource<Double>(sharedPreferences, prefix = "Double")
    let doubleDataSource = DeviceStorageDataSource<Double>(sharedPreferences, prefix: "Double")
    // val intDataSource = DeviceStorageDataSource<Int>(sharedPreferences, prefix = "Int")
    let intDataSource = DeviceStorageDataSource<Int>(sharedPreferences, prefix: "Int")
    // doubleDataSource.put(KeyQuery("pi"), 3.14159265359)
    doubleDataSource.put(3.14159265359, in: KeyQuery("pi"))
    // intDataSource.put(KeyQuery("pi"), 3)
    intDataSource.put(3, in: KeyQuery("pi"))
}

/// "Implementation Notes, Kotlin", second sample. The text says that a string comes back, so `T` is `String` here.
private func readOnTheMainThread(
    _ sharedPreferences: any KeyValueStore,
    println: @escaping @MainActor @Sendable (String) -> Void
) {
    // val dataSource = DeviceStorageDataSource<Double>(sharedPreferences, prefix = "Double")
    let dataSource = DeviceStorageDataSource<String>(sharedPreferences, prefix: "Double")
    // dataSource.get(KeyQuery("pi")).onCompleteUi(
    dataSource.get(KeyQuery("pi")).onCompleteUi(
        // onSuccess = {
        onSuccess: {
            // println("Pi: $it")
            println("Pi: \($0)")
            // },
        },
        // onFailure = {
        onFailure: {
            // println("Error: " + it.localizedMessage)
            println("Error: " + $0.localizedDescription)
            // }
        }
        // )
    )
}

/// What stands for Android's `sharedPreferences` in the samples: any store, and the very file of Android.
nonisolated enum SharedPreferencesOfTheSamples: CaseIterable, Sendable {
    case memory
    case androidFile

    func store(in folder: TemporaryDirectory) throws -> any KeyValueStore {
        switch self {
        case .memory: MemoryStore()
        case .androidFile: try SharedPreferencesStore(path: folder.path("preferences.xml"))
        }
    }
}

@Suite struct SeedKotlinSamples {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test(arguments: SharedPreferencesOfTheSamples.allCases)
    func usageSampleLeavesStoreEmpty(kind: SharedPreferencesOfTheSamples) throws {
        let sharedPreferences = try kind.store(in: folder)
        usage(sharedPreferences)
        #expect(try sharedPreferences.count() == 0)
    }

    @Test(arguments: SharedPreferencesOfTheSamples.allCases)
    func serializationMapperReturnsStoredItem(kind: SharedPreferencesOfTheSamples) throws {
        let sharedPreferences = try kind.store(in: folder)
        let source = serializationDataSourceMapper(DeviceStorageDataSource<String>(sharedPreferences))
        let item = try storeAndFetch(source)
        #expect(item == ItemEntity(123, "by", "title", "text", "type", 123, "url", []))
        #expect(try sharedPreferences.get("1")?.kind == .string)
    }

    @Test(arguments: SharedPreferencesOfTheSamples.allCases)
    func deprecatedAssemblerReturnsStoredItem(kind: SharedPreferencesOfTheSamples) throws {
        let sample: any DeprecatedSample = AssemblerSample()
        let item = try sample.run(kind.store(in: folder))
        #expect(item == ItemEntity(123, "by", "title", "text", "type", 123, "url", []))
    }

    @Test(arguments: SharedPreferencesOfTheSamples.allCases)
    func sourcesWithDifferentPrefixesHaveSeparateEntries(kind: SharedPreferencesOfTheSamples) throws {
        let sharedPreferences = try kind.store(in: folder)
        twoPrefixes(sharedPreferences)
        #expect(try sharedPreferences.get("Double.pi") == 3.14159265359)
        #expect(try sharedPreferences.get("Int.pi") == 3)
    }

    @Test func sharedPreferencesFileContainsDocumentedEntries() throws {
        twoPrefixes(try SharedPreferencesOfTheSamples.androidFile.store(in: folder))
        let text = try String(contentsOfFile: folder.path("preferences.xml"), encoding: .utf8)
        #expect(text.contains("<double name=\"Double.pi\" value=\"3.14159265359\" />"))
        #expect(text.contains("<int name=\"Int.pi\" value=\"3\" />"))
    }

    @Test(arguments: SharedPreferencesOfTheSamples.allCases)
    func storedDoubleIsReadAsStringOnMainActor(kind: SharedPreferencesOfTheSamples) async throws {
        let sharedPreferences = try kind.store(in: folder)
        twoPrefixes(sharedPreferences)
        let line = await withCheckedContinuation { continuation in
            readOnTheMainThread(sharedPreferences) { continuation.resume(returning: $0) }
        }
        #expect(line == "Pi: 3.14159265359")
    }
}
