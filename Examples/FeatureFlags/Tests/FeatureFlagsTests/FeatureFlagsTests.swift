import Foundation
import LarderCore
import LarderDeviceStore
import LarderReplication
import LarderTesting
import Testing

@testable import FeatureFlags

/// Two instances of the service on a simulated cluster, each with a replica in a file.
private final class Fleet {
    let cluster = SimulatedCluster(seed: 1)
    let a: ReplicatedStore
    let b: ReplicatedStore
    private let folder = FileManager.default.temporaryDirectory.appending(path: "flags-\(UUID().uuidString)")
    private let tasks: [Task<Void, Never>]

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var options = ReplicatedStoreOptions()
        options.deadline = .seconds(60)
        let stores = try ["a", "b"].map { [folder, cluster] name in
            let replica = try DeviceStore(path: folder.appending(path: "\(name).larder").path)
            return try ReplicatedStore(replica: replica, engine: cluster.engine(name), options: options)
        }
        (a, b) = (stores[0], stores[1])
        tasks = stores.map { store in Task { await store.run() } }
    }

    deinit {
        for task in tasks { task.cancel() }
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Waits until another instance has made a condition true.
private func wait(_ condition: () throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try !condition() {
        try #require(ContinuousClock.now < deadline)
        try await Task.sleep(for: .milliseconds(2))
    }
}

@Suite struct FeatureFlagsTests {
    private let fleet: Fleet

    init() throws { fleet = try Fleet() }

    @Test func changedFlagReachesTheOtherInstance() async throws {
        let (a, b) = (FlagBoard(fleet.a), FlagBoard(fleet.b))
        #expect(b.flags.newCheckout == false)
        try a.set("newCheckout", to: "true")
        #expect(a.flags.newCheckout)
        try await wait { b.flags.newCheckout }
        try await b.setConfirmed("resultsPerPage", to: "50")
        #expect(b.flags.resultsPerPage == 50)
        try await wait { a.flags.resultsPerPage == 50 }
    }

    @Test func refusedReplacementIsRolledBackAndListed() async throws {
        let (a, b) = (FlagBoard(fleet.a), FlagBoard(fleet.b))
        try await a.setConfirmed("banner", to: "one")
        try await wait { b.flags.banner == "one" }
        fleet.cluster.setReachable("b", false)
        try await a.setConfirmed("banner", to: "two")
        #expect(try b.replace("one", by: "three", in: "banner"))
        #expect(b.flags.banner == "three")
        fleet.cluster.setReachable("b", true)
        try await wait { b.flags.banner == "two" }
        try await wait { try InstanceStatus(fleet.b, instance: "b").rejected.contains { $0.contains("three") } }
        #expect(try fleet.b.verify().problems == [])
    }

    @Test func flagsAreWrittenOnlyWithTheirTypes() throws {
        let board = FlagBoard(fleet.a)
        for (name, value) in [
            ("newCheckout", "yes"), ("resultsPerPage", "0"), ("resultsPerPage", "many"), ("other", "1"),
        ] {
            #expect(throws: InvalidFlag.self) { try board.set(name, to: value) }
        }
    }

    @Test func sessionIsKnownEverywhereUntilItExpires() async throws {
        let (a, b) = (Sessions(fleet.a), Sessions(fleet.b))
        let id = try await a.begin(for: "Ada", lasting: 3600)
        #expect(try a.user(of: id) == "Ada")
        try await wait { try b.user(of: id) == "Ada" }
        fleet.cluster.skewClock(by: 3600)
        // Both instances hear the clock of the cluster with the next commit.
        try await FlagBoard(fleet.a).setConfirmed("banner", to: "later")
        try await wait { try a.user(of: id) == nil && b.user(of: id) == nil }
    }

    @Test func identifiersOfRequestsAreChecked() throws {
        try fleet.a.set("secret", for: "session.x")
        #expect(try Sessions(fleet.a).user(of: "x") == nil)
        #expect(try Sessions(fleet.a).user(of: "../" + String(repeating: "0", count: 29)) == nil)
    }

    @Test func eventsNameTheChangedFlags() throws {
        let board = FlagBoard(fleet.a)
        let change = StoreChange(entries: [.init(key: "flag.banner", old: nil, new: "a")], origin: .cluster)
        #expect(board.flags(changedBy: .change(change)).map(\.name) == ["banner"])
        #expect(board.flags(changedBy: .missed(3)).count == 3)
    }

    @Test func eventHasOneLineOfData() throws {
        let event = try ServerSentEvent("flag", FlagState(name: "banner", value: "a\nb\r</script>"))
        #expect(event.text == "event: flag\ndata: {\"name\":\"banner\",\"value\":\"a\\nb\\r<\\/script>\"}\n\n")
    }

    @Test func pageEscapesTheNameOfTheInstance() {
        let html = Page(instance: "<b>&\"'<\u{301}").html
        #expect(html.contains("<h1>Flags of instance &lt;b&gt;&amp;&quot;&#39;&lt;\u{301}</h1>"))
        #expect(!html.contains("<b>"))
    }

    @Test func counterOfEachInstanceIsExact() async throws {
        let counter = Counter(fleet.a, instance: "a")
        for number in 1...20 { #expect(try counter.increment() == number) }
        try await wait { try fleet.b.value(Int.self, for: "count.a") == 20 }
    }
}
