#if Replication
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderReplication
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Metrics
import Testing

/// What programs that observe a replicated store see in their metrics and logs.
@Suite(.expectsIssues(.degraded, .rolledBack))
struct MetricsTests {
    private let cluster = SimulatedCluster(seed: 62)

    @Test func metricsAndLogsTellAnOutage() async throws {
        let metrics = RecordedMetrics.shared
        let folder = try TemporaryDirectory()
        let path = folder.path("replica.larder")
        func value(_ name: String) -> Double? { metrics.value("larder_replication_" + name, of: path) }
        let time = ManualTimeSource()
        var options = ReplicatedStoreOptions()
        options.environment.time = time
        let store = try ReplicatedStore(
            replica: DeviceStore(path: path),
            engine: cluster.engine("a"),
            options: options
        )
        let b = try Machine(cluster, "b")
        for key in ["x", "y"] {
            try b.store.set(1, for: StoreKey(key))
            try await b.exchange()
        }
        let running = RunningStore(store)
        try await waitUntil {
            time.advance(by: .milliseconds(50))
            return try store.get("y") == 1 && value("pending") == 0 && value("lag_commits") == 0
        }
        #expect(value("reconnects") == 0 || value("reconnects") == nil)

        cluster.setReachable("a", false)
        #expect(try store.compareAndSet("x", expecting: 1, to: 2))
        try store.set(2, for: "y")
        try b.store.set(3, for: "x")
        try await b.exchange()
        try await waitUntil {
            time.advance(by: .milliseconds(50))
            return value("pending") == 2 && (value("lag_seconds") ?? 0) > 5 && (value("failures") ?? 0) > 2
        }

        cluster.setReachable("a", true)
        try await waitUntil {
            time.advance(by: .milliseconds(50))
            return value("pending") == 0 && (value("lag_seconds") ?? 9) < 5 && value("rejected") == 1
                && value("reconnects") == 1
        }
        let lines = quietLogLines(containing: path)
        #expect(lines.filter { $0.hasPrefix("info This process replicates") }.count == 1)
        #expect(lines.filter { $0.hasPrefix("info The new replica") }.count == 1)
        #expect(lines.filter { $0.hasPrefix("notice The cluster at a answers") }.count == 1)

        #expect(try store.verify().problems == [])
        withExtendedLifetime(running) {}
    }

    @Test func snapshotThatReplacesALostHistoryIsLogged() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("replica.larder")
        let a = try Machine(cluster, "a", replica: DeviceStore(path: path))
        try await a.exchange()
        let b = try Machine(cluster, "b")
        try b.store.set(1, for: "x")
        try await b.exchange()
        cluster.trimHistory()
        try await a.exchange()
        let lines = quietLogLines(containing: path)
        #expect(lines.filter { $0.hasPrefix("notice The replica") && $0.contains("at position 1") }.count == 1)
        try a.expectAgreement(with: cluster)
    }
}

/// The metrics of the test process.
private final class RecordedMetrics: MetricsFactory {
    /// The metrics, which are installed when they are first used.
    static let shared: RecordedMetrics = {
        let metrics = RecordedMetrics()
        MetricsSystem.bootstrap(metrics)
        return metrics
    }()

    /// The last value of each gauge, and the sum of each counter.
    private let values = Lock<[String: Double]>([:])

    func value(_ label: String, of store: String) -> Double? { values.withLock { $0[label + " " + store] } }

    private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
        Handler(metrics: self, name: label + " " + dimensions.map(\.1).joined())
    }

    fileprivate func change(_ name: String, _ body: (inout Double) -> Void) {
        values.withLock { body(&$0[name, default: 0]) }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { handler(label, dimensions) }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        handler(label, dimensions)
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { handler(label, dimensions) }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private final class Handler: CounterHandler, RecorderHandler, TimerHandler {
        let metrics: RecordedMetrics
        let name: String

        init(metrics: RecordedMetrics, name: String) {
            self.metrics = metrics
            self.name = name
        }

        func increment(by amount: Int64) { metrics.change(name) { $0 += Double(amount) } }
        func reset() { metrics.change(name) { $0 = 0 } }
        func record(_ value: Int64) { record(Double(value)) }
        func record(_ value: Double) { metrics.change(name) { $0 = value } }
        func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }
    }
}
#endif
