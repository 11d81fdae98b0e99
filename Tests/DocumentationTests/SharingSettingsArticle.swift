import Foundation
import Larder
import LarderReplication
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Logging
import Testing

#if Replication
import ServiceLifecycle
#endif

// The code of the article "Sharing settings between machines", in its order. The last test compares it with the article.

private enum Sharing {
    /// Options for a process whose other tests block threads.
    static var patient: ReplicatedStoreOptions {
        var options = ReplicatedStoreOptions()
        options.deadline = .seconds(300)
        return options
    }

    static func begin(_ replica: DeviceStore) async throws {
        // Article
        let cluster = SimulatedCluster()  // in a service: try PostgresEngine("postgresql:///app", store: "flags")
        // end
        let store = try ReplicatedStore(replica: replica, engine: cluster.engine(), options: patient)
        // Article
        let replication = Task { await store.run() }
        try await store.clusterTransaction { try $0.set(true, for: "newCheckout") }
        print(try store.value(Bool.self, for: "newCheckout") ?? false)  // true
        replication.cancel()
        // end
        #expect(try store.get("newCheckout") == true)
    }

    static func copy(to store: ReplicatedStore, path: String) throws {
        // Article
        let former = try DeviceStore(path: path)
        let copy = try store.copyEntries(from: former, .all)
        print(copy.copied)  // the keys of the copied entries
        // end
        #expect(try store.get("theme") == "dark")
    }

    // Article
    struct Flags: DefaultsKeyStore {
        let newCheckout = DefaultsKey<Bool>("newCheckout", defaultValue: false)
        let resultsPerPage = DefaultsKey<Int>("resultsPerPage", defaultValue: 20, validation: .clamp(to: 1...100))
    }
    // end

    static func useFlags(_ store: ReplicatedStore) {
        // Article
        let flags = DefaultsAdapter(store: store, keyStore: Flags())
        flags[\.resultsPerPage] = 50  // durable on this machine, and queued for the cluster
        let isNew = flags[\.newCheckout]  // a local read
        // end
        #expect(!isNew && flags.resultsPerPage == 50)
    }

    static func useSessions(_ store: ReplicatedStore) async throws {
        // Article
        try await store.setReplicated(.string("Ada"), for: "session.7f3a", expiringAfter: .seconds(1800))
        let user = try store.value(String.self, for: "session.7f3a")  // nil when it has expired, on every machine
        // end
        #expect(user == "Ada")
    }

    static func useCaches(_ store: ReplicatedStore) throws {
        // Article
        let prices = DeviceStorageDataSource<Double>(store, storageType: .escapedPrefix("price"))
        prices.put(9.5, forId: "tea")
        try store.set(.double(7.25), for: "rate.EUR", expiringAfter: .seconds(60))
        // end
        #expect(try store.get("price.tea") == .double(9.5) && store.get("rate.EUR") == .double(7.25))
    }

    static func writeCertainly(_ store: ReplicatedStore) async throws {
        // Article
        do {
            try await store.set(true, for: "newCheckout", durability: .replicated)
        } catch let error as StoreError where error.code == .notConfirmed {
            print(error.message)  // says whether the commit may have been made
        }
        // end
        // Article
        let number = try await store.clusterTransaction { transaction in
            let next = try transaction.value(Int.self, for: "lastOrder") ?? 0
            try transaction.set(next + 1, for: "lastOrder")
            return next + 1
        }
        // end
        #expect(try number == 1 && store.get("lastOrder") == 1)
    }

    static func handleConflicts(_ store: ReplicatedStore) async throws {
        // Article
        for commit in try store.rejected() {
            print(commit.number, commit.reason, commit.writes.map(\.key))
            try await store.discardRejected(through: commit.number)
        }
        // end
        #expect(try store.rejected().isEmpty)
    }

    static var keepingGreater: ReplicatedStoreOptions {
        // Article
        var options = ReplicatedStoreOptions()
        options.rule = .resolving { commit, confirmed in
            guard commit.writes.map(\.key) == ["newest"], case .int(let ours)? = commit.writes[0].value else {
                return nil
            }
            guard case .int(let theirs)? = try? confirmed.get("newest"), ours > theirs else { return StoreBatch() }
            var batch = StoreBatch()
            batch.expect(.int(theirs), at: "newest")
            batch.set(.int(ours), for: "newest")
            return batch
        }
        // end
        options.deadline = .seconds(300)
        return options
    }

    // Article
    static func isHealthy(_ store: ReplicatedStore) -> Bool {
        let freshness = store.freshness
        guard let contact = freshness.lastContact else { return false }  // no contact yet
        return contact.timeIntervalSinceNow > -60 && freshness.pending < 1_000
    }
    // end

    // Compiled and not called: it handles the signals of the process.
    static func serve(_ store: ReplicatedStore) async throws {
        #if Replication
        // Article
        let group = ServiceGroup(services: [store], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "app"))
        try await group.run()
        // end
        #endif
    }
}

@Suite struct SharingSettingsArticle {
    @Test func articleCodeRunsAsDocumented() async throws {
        // The folder outlives replication, which ends after the call that cancels it.
        let folder = try TemporaryDirectory()
        try await Sharing.begin(DeviceStore(path: folder.path("first.larder")))

        let former = try DeviceStore(path: folder.path("former.larder"))
        try former.set("dark", for: "theme")
        let cluster = SimulatedCluster()
        let store = try ReplicatedStore(
            replica: DeviceStore(path: folder.path("a.larder")),
            engine: cluster.engine("a"),
            options: Sharing.patient
        )
        let replication = Task { await store.run() }
        defer { replication.cancel() }
        try Sharing.copy(to: store, path: folder.path("former.larder"))
        Sharing.useFlags(store)
        try await Sharing.useSessions(store)
        try Sharing.useCaches(store)
        try await Sharing.writeCertainly(store)
        try await Sharing.handleConflicts(store)
        #expect(Sharing.isHealthy(store))
        #expect(try store.verify().isIntact)
    }

    @Test(.expectsIssues(.degraded), arguments: [(4, 7), (8, 8)])
    func greaterNumberWinsWithRuleOfArticle(confirmed: Int64, winner: Int64) async throws {
        let cluster = SimulatedCluster()
        let a = try ReplicatedStore(unshared: MemoryStore(), engine: cluster.engine("a"), options: Sharing.patient)
        let b = try ReplicatedStore(
            unshared: MemoryStore(),
            engine: cluster.engine("b"),
            options: Sharing.keepingGreater
        )
        let running = [a, b].map { store in Task { await store.run() } }
        defer { for task in running { task.cancel() } }
        try await a.set(3, for: "newest", durability: .replicated)
        try await b.set(true, for: "ready", durability: .replicated)
        cluster.setReachable("b", false)
        #expect(try b.compareAndSet("newest", expecting: 3, to: 7))
        try await a.set(.int(confirmed), for: "newest", durability: .replicated)
        cluster.setReachable("b", true)
        try await waitUntil { try a.get("newest") == .int(winner) && b.confirmed.get("newest") == .int(winner) }
        #expect(try b.rejected().isEmpty)
    }

    @Test func articleCodeMatchesTestedCode() throws {
        let code = try articleCode(
            article: "LarderReplication/LarderReplication.docc/SharingSettingsBetweenMachines.md",
            source: #filePath
        )
        #expect(!code.printed.isEmpty)
        // The article opens the replica by its path, and declares a function outside of a type.
        #expect(
            code.printed.filter { !$0.contains("DeviceStore(path: \"flags.larder\")") }
                == code.tested.map { $0.replacing("static func", with: "func") }
        )
    }
}
