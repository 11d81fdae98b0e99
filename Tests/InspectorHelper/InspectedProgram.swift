#if Inspector
import LarderCore
import LarderDataSources
import LarderDefaults
import LarderDeviceStore
import LarderReplication
import LarderStores
import LarderTesting

/// A program with everything that an inspector can show besides stores and objects, and what tests tell it to do.
struct InspectedProgram: Sendable {
    struct Settings: DefaultsKeyStore, Sendable {
        let launches = DefaultsKey<Int>("launches", defaultValue: 0)
        let volume = DefaultsKey<Double>("volume", defaultValue: 0.5)
        let userName = DefaultsKey<String?>("userName")
        let apiKey = DefaultsKey<String?>("apiKey")
    }

    private struct Offline: Error {}

    let store: DeviceStore
    let replica: ReplicatedStore
    private let cluster: DeviceStore
    private let settings: DefaultsAdapter<Settings>
    private let server = DataSourceSpy(InMemoryDataSource<Int>())
    private let cache: TimedCacheDataSource<InMemoryDataSource<Int>>
    private let repository = CacheRepository(main: HangingSource(), cache: InMemoryDataSource<Int>())
    private let outbox: OutboxDataSource<Int>

    init(folder: String) throws {
        store = try DeviceStore(path: folder + "/program.larder")
        cluster = try DeviceStore(path: folder + "/cluster.larder")
        replica = try ReplicatedStore(
            replica: DeviceStore(path: folder + "/replica.larder"),
            engine: StoredEngine(cluster)
        )
        settings = DefaultsAdapter(store: store, keyStore: Settings())
        let rates = InMemoryDataSource<Int>()
        for number in 0..<3 { rates.put(number, forId: "rate.\(number)") }
        cache = TimedCacheDataSource(rates)
        outbox = OutboxDataSource(main: server, store: store, name: "orders", isUnreachable: { $0 is Offline })
    }

    /// What is shown besides the stores.
    var inspected: [any Inspectable] {
        [
            InspectedKeys(settings), InspectedDataSource(cache, name: "exchange rates"),
            InspectedDataSource(repository, name: "profiles"), InspectedOutbox(outbox), InspectedReplication(replica),
        ]
    }

    /// Makes writes that wait, one of which the cluster is going to refuse.
    func prepare() async throws {
        settings[\.launches] = 12
        settings[\.apiKey] = "sk_live_0123"
        server.fail(with: Offline())
        for number in 1...3 { _ = try await outbox.put(number, in: KeyQuery("order.\(number)")).value }
        try replica.set(.bool(true), for: "feature.search")
        _ = try replica.compareAndSet("limit", expecting: nil, to: 50)
        let other = try ReplicatedStore(unshared: MemoryStore(), engine: StoredEngine(cluster))
        let running = Task { await other.run() }
        try await other.set(20, for: "limit", durability: .replicated)
        running.cancel()
        await running.value
    }

    /// Executes a command of a test.
    func execute(_ words: [String]) async throws {
        switch words.first {
        case "write": try store.set(.string(words[2]), for: words[1])
        case "name": settings[\.userName] = words[1]
        case "read":
            // Only what was written through the cache has an age.
            _ = try await cache.put(1, in: KeyQuery("rate.0")).value
            for number in 0..<6 { _ = try await cache.get(KeyQuery("rate.\(number % 3)")).value }
        case "fetch": Task { _ = try await repository.get(KeyQuery("ada")).value }
        case "deliver":
            server.fail(with: nil)
            try await outbox.replay().value
        case "replicate": Task { await replica.run() }
        case "burst": try await burst(Int(words[1]) ?? 0, rate: Double(words[2]) ?? 1)
        default: throw StoreError(.invalidConfiguration, "There is no command \(words).")
        }
    }

    /// Writes a number of values at a rate in each second.
    private func burst(_ total: Int, rate: Double) async throws {
        let clock = ContinuousClock()
        let began = clock.now
        for number in 1...total {
            try store.set(.int(Int64(number)), for: "burst.\(number % 5_000)")
            if number.isMultiple(of: 100) { try await clock.sleep(until: began + .seconds(Double(number) / rate)) }
        }
    }
}

/// A source that does not answer.
private struct HangingSource: GetDataSource, PutDataSource, DeleteDataSource {
    func get(_ query: any KeyQuery) -> Future<Int> { Future { try await Self.hang() } }
    func getAll(_ query: any KeyQuery) -> Future<[Int]> { Future { [try await Self.hang()] } }
    func put(_ value: Int?, in query: any KeyQuery) -> Future<Int> { Future { try await Self.hang() } }
    func putAll(_ values: [Int], in query: any KeyQuery) -> Future<[Int]> { Future { [try await Self.hang()] } }
    func delete(_ query: any KeyQuery) -> Future<Void> { Future { _ = try await Self.hang() } }

    private static func hang() async throws -> Int {
        try await Task.sleep(for: .seconds(3_600))
        return 0
    }
}
#endif
