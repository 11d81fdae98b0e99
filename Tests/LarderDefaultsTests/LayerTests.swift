import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStorage
import LarderStores
import Testing

struct LayerTests {
    private func adapter(_ arguments: String...) -> DefaultsAdapter<DefaultsKeys> {
        DefaultsAdapter(
            store: MemoryStore(),
            keyStore: DefaultsKeys(),
            layers: [.arguments(["program"] + arguments)]
        )
    }

    // Behavior 10.
    @Test(arguments: ["YES", "yes", "TRUE", "true", "Y", "y", "T", "t", "1"])
    func yesLikeArgumentReadsAsTrue(text: String) {
        let adapter = adapter("-flag", text)
        #expect(adapter[key: DefaultsKey<Bool>("flag", defaultValue: false)])
        #expect(adapter[key: DefaultsKey<Bool?>("flag")] == true)
        #expect(adapter[key: DefaultsKey<Bool?>("flag", defaultValue: false)] == true)
    }

    // Behavior 10.
    @Test(arguments: ["NO", "no", "FALSE", "false", "N", "n", "F", "f", "0"])
    func noLikeArgumentReadsAsFalse(text: String) {
        let adapter = adapter("-flag", text)
        #expect(!adapter[key: DefaultsKey<Bool>("flag", defaultValue: true)])
        #expect(adapter[key: DefaultsKey<Bool?>("flag")] == false)
        #expect(adapter[key: DefaultsKey<Bool?>("flag", defaultValue: true)] == false)
    }

    // Behavior 10.
    @Test(arguments: ["blabla", "test"])
    func nonBooleanArgumentReadsAsDefault(text: String) {
        let adapter = adapter("-flag", text)
        _ = issues {
            #expect(adapter[key: DefaultsKey<Bool>("flag", defaultValue: true)])
            #expect(adapter[key: DefaultsKey<Bool?>("flag", defaultValue: true)] == true)
            #expect(adapter[key: DefaultsKey<Bool?>("flag")] == nil)
        }
        #expect(adapter.hasKey(DefaultsKey<Bool?>("flag")))
    }

    // Behavior 11.
    @Test func argumentsAreConvertedToTypeOfKey() {
        for (text, number) in [("0", 0), ("1", 1), ("2", 2), ("111111", 111_111)] {
            let adapter = adapter("-value", text)
            #expect(adapter[key: DefaultsKey<Int>("value", defaultValue: -1)] == number)
            #expect(adapter[key: DefaultsKey<Int?>("value")] == number)
        }
        for (text, number) in [("0", 0.0), ("1", 1), ("2", 2), ("31.0", 31)] {
            #expect(adapter("-value", text)[key: DefaultsKey<Double>("value", defaultValue: -1)] == number)
        }
        for text in ["0", "0.0", "some text"] {
            #expect(adapter("-value", text)[key: DefaultsKey<String>("value", defaultValue: "")] == text)
        }
    }

    @Test func argumentsAreParsedAsNameValuePairs() {
        let adapter = adapter(
            "serve",
            "-port",
            "80",
            "-verbose",
            "-neg",
            "-5",
            "--long",
            "x",
            "-last",
            "a",
            "-last",
            "b",
            "-"
        )
        #expect(adapter[key: DefaultsKey<Int?>("port")] == 80)
        #expect(!adapter.hasKey(DefaultsKey<Bool?>("verbose")))
        #expect(adapter[key: DefaultsKey<Int?>("neg")] == -5)
        #expect(!adapter.hasKey(DefaultsKey<String?>("-long")))
        #expect(adapter[key: DefaultsKey<String?>("last")] == "b")
    }

    @Test func layersTakePrecedenceOverStoreAndAreNeverWritten() throws {
        let store = MemoryStore()
        let key = DefaultsKey<Int>("port", defaultValue: 1)
        let adapter = DefaultsAdapter(
            store: store,
            keyStore: DefaultsKeys(),
            layers: [
                .arguments(["program", "-port", "80"]), .environment(prefix: "APP_", ["APP_port": "90", "APP_x": "7"]),
            ]
        )
        #expect(adapter[key: key] == 80)
        #expect(try adapter.origin(of: key) == .argument)
        adapter[key: key] = 3
        #expect(adapter[key: key] == 80)
        #expect(try store.get("port") == 3)
        let other = DefaultsKey<Int>("x", defaultValue: 0)
        #expect(adapter[key: other] == 7)
        #expect(try adapter.origin(of: other) == .environment)
        #expect(try adapter.read(other) == 7)
    }

    @Test func originOfCustomLayerValueIsReported() throws {
        let policy = DefaultsLayer(origin: DefaultsOrigin("policy")) { $0 == "locked" ? true : nil }
        let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys(), layers: [policy])
        let key = DefaultsKey<Bool>("locked", defaultValue: false)
        #expect(adapter[key: key])
        #expect(try adapter.origin(of: key).description == "policy")
    }

    @Test func adapterUserDefaultsIncludeLayers() throws {
        let adapter = adapter("-name", "Ada")
        #expect(adapter.defaults.string(forKey: "name") == "Ada")
        adapter.defaults.set("Bob", forKey: "name")
        #expect(try adapter.store.get("name") == "Bob")
        #expect(adapter.defaults.string(forKey: "name") == "Ada")
        adapter.defaults.synchronize()
        #expect(adapter.defaults.dictionaryRepresentation()["name"] as? String == "Bob")
    }

    @Test func transactionCommitsWhenLayerOverridesReadKey() async throws {
        let adapter = adapter("-name", "Ada")
        let layered = StandardStore.store(over: adapter.defaults)
        try layered.transaction { transaction in
            #expect(try transaction.get("name") == "Ada")
            #expect(try transaction.entries().isEmpty)
            try transaction.set("Bob", for: "name")
        }
        #expect(try adapter.store.get("name") == "Bob")
        #expect(try layered.verify().isIntact)
        #expect(layered.inspectionKind == adapter.store.inspectionKind)
        #expect(layered.inspectionName == adapter.store.inspectionName)
        #expect(layered.capabilities == adapter.store.capabilities)
        try await layered.flush()
        var batch = StoreBatch()
        batch.set(1, for: "n")
        #expect(try await layered.commit(batch, durability: .buffered))
        let seen = Recorder<StoreEvent>()
        let observation = layered.observe(prefix: "") { seen.add($0) }
        var events = layered.changes().makeAsyncIterator()
        try layered.set(2, for: "n")
        #expect(seen.all.count == 1)
        #expect(await events.next() != nil)
        observation.cancel()
    }

    @Test func observerIsNotNotifiedWhileLayerOverridesKey() {
        let adapter = adapter("-name", "Ada")
        let key = DefaultsKey<String>("name", defaultValue: "")
        let updates = Recorder<String?>()
        let token = adapter.observe(key) { updates.add($0.newValue) }
        adapter[key: key] = "Bob"
        #expect(updates.all.isEmpty)
        token.dispose()
    }

    // MARK: - Registered values

    // Behavior 27.
    @Test func registeredValueTakesPrecedenceOverKeyDefault() throws {
        let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
        let key = DefaultsKey<Int>("n", defaultValue: 1)
        adapter.defaults.register(defaults: ["n": 100])
        #expect(adapter[key: key] == 100)
        #expect(adapter.hasKey(key))
        #expect(try adapter.origin(of: key) == .registered)
        adapter.removeAll()
        #expect(adapter[key: key] == 100)
        adapter[key: key] = 5
        #expect(adapter[key: key] == 5)
        #expect(try adapter.origin(of: key) == .stored)
    }

    @Test func defaultsAreRegisteredOnlyOnRequest() throws {
        struct Keys: DefaultsKeyStore {
            let volume = DefaultsKey<Double>("volume", defaultValue: 0.5)
            let name = DefaultsKey<String?>("name")
        }
        let store = MemoryStore()
        let adapter = DefaultsAdapter(store: store, keyStore: Keys())
        #expect(adapter.defaults.object(forKey: "volume") == nil)
        try adapter.registerDefaults()
        #expect(adapter.defaults.double(forKey: "volume") == 0.5)
        #expect(adapter.defaults.object(forKey: "name") == nil)
        try adapter.registerDefaults(DefaultsKey<Int>("n", defaultValue: 3), DefaultsKey<Bool?>("b"))
        #expect(adapter.defaults.integer(forKey: "n") == 3)
        #expect(try store.count() == 0)
        #expect(throws: DefaultsError.self) {
            try adapter.registerDefaults(
                DefaultsKey<CodableFrog>("f", defaultValue: CodableFrog(name: "", weight: .nan))
            )
        }
    }
}
