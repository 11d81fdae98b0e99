import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStorage
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import LarderTestTraits
import Observation
import Synchronization
import Testing

extension DefaultsKeys {
    fileprivate var count: DefaultsKey<Int> { .init("count", defaultValue: 0) }
    fileprivate var list: DefaultsKey<[String]> { .init("list", defaultValue: []) }
    fileprivate var negative: DefaultsKey<Int> { .init("neg", defaultValue: 0) }
}

/// Tests behaviors 67 to 73, in which Foundation's user defaults on Linux fail but Larder does not.
struct FoundationBehaviorTests {
    private let store: DeviceStore
    private let adapter: DefaultsAdapter<DefaultsKeys>
    // Declared last, because properties are released in this order and the folder is removed when this property is released.
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        store = try DeviceStore(path: folder.url("s.larder").path)
        adapter = DefaultsAdapter(store: store, keyStore: DefaultsKeys())
    }

    /// Runs a second process that changes the store.
    private func otherProcess(_ arguments: String...) throws {
        let process = Process()
        let folders = [
            Bundle.main.bundleURL, URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        process.executableURL = folders.map { $0.appending(path: "DeviceStoreHelper") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        process.arguments = [arguments[0], folder.url("s.larder").path] + arguments.dropFirst()
        HeldProcess.hold(process)
        try process.start()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    // Behavior 67.
    @Test func valuesArePersistedWithoutSynchronizing() throws {
        adapter.count = 3
        // Another store object reads the file in the way that another process would. The first one was neither closed nor synchronized.
        let other = DefaultsAdapter(store: try DeviceStore(path: folder.url("s.larder").path), keyStore: DefaultsKeys())
        #expect(other.count == 3)
    }

    // Behavior 68.
    @Test func defaultsValueSetByAnotherProcessIsReadImmediately() throws {
        #expect(adapter.count == 0)
        try otherProcess("set", "count", "8")
        #expect(adapter.count == 8)
        #expect(try store.verify().isIntact)
    }

    @Test func observersReceiveChangesByAnotherProcess() async throws {
        let told = Recorder<[Int?]>()
        let token = adapter.observe(\.count) { told.add([$0.oldValue, $0.newValue]) }
        try otherProcess("set", "count", "8")
        try await waitUntil("the observer") { told.all == [[0, 8]] }
        token.dispose()
    }

    @Test func sequencesReceiveChangesByAnotherProcess() async throws {
        var updates = adapter.updates(\.count).makeAsyncIterator()
        #expect(await updates.next() == 0)
        try otherProcess("set", "count", "9")
        #expect(await updates.next() == 9)
    }

    @Test func observationTrackingReportsChangesByAnotherProcess() async throws {
        let value = DefaultsValue(DefaultsKeys().count, in: adapter)
        let changes = Recorder<Int>()
        withObservationTracking {
            _ = value.wrappedValue
        } onChange: {
            changes.add(1)
        }
        try otherProcess("set", "count", "10")
        try await waitUntil("the change") { changes.all == [1] }
        #expect(value.wrappedValue == 10)
    }

    // Behavior 69.
    @Test func corruptFileIsNotTreatedAsEmpty() throws {
        let path = folder.url("damaged.larder").path
        try Data("not a store at all, but long enough to be looked at".utf8).write(to: URL(filePath: path))
        #expect(throws: StoreError.self) { try DeviceStore(path: path) }
        #expect(try Data(contentsOf: URL(filePath: path)).count == 51)
    }

    // Behavior 70.
    @Test func changesAreDeliveredAndRegisteredValuesAreNotShared() throws {
        let told = Recorder<Int?>()
        let token = adapter.observe(\.count) { told.add($0.newValue) }
        adapter.defaults.set(4, forKey: "count")
        adapter.defaults.removeObject(forKey: "count")
        #expect(told.all == [4, 0])
        token.dispose()
        adapter.defaults.register(defaults: ["r": 1])
        #expect(DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys()).defaults.object(forKey: "r") == nil)
    }

    // Behavior 71.
    @Test(.expectsIssues(.conflictingKeys)) func typesOfNestedValuesArePreserved() throws {
        let key = DefaultsKey<[String: [Int64]]>("nested", defaultValue: [:])
        adapter[key: key] = ["a": [.max, .min]]
        #expect(try adapter.read(key) == ["a": [.max, .min]])
        adapter[key: DefaultsKey<UInt64>("big", defaultValue: 0)] = .max
        #expect(try adapter.read(DefaultsKey<UInt64>("big", defaultValue: 0)) == .max)
        adapter[key: DefaultsKey<Bool>("flag", defaultValue: false)] = true
        #expect(try adapter.read(DefaultsKey<Int>("flag", defaultValue: 0)) == 1)
    }

    // Behavior 72.
    @Test func writingUnsupportedValueIsReported() throws {
        struct Thing {}
        let issues = issues { adapter.defaults.set(Thing(), forKey: "thing") }
        #expect(issues.map(\.code) == [.unsupportedValue])
        withIssueHandler({ _ in }) { adapter.defaults.set(NSNull(), forKey: "null") }
        #expect(adapter.count == 0)
    }

    // Behavior 72.
    @Test func sixteenThreadsCanReadAndWriteConcurrently() throws {
        let adapter = adapter
        DispatchQueue.concurrentPerform(iterations: 16) { thread in
            let key = DefaultsKey<Int>("t\(thread)", defaultValue: 0)
            for round in 1...200 {
                adapter[key: key] = round
                if adapter[key: key] != round { Issue.record("thread \(thread) read another value") }
            }
        }
        #expect(try store.verify().isIntact)
    }

    // Behavior 73.
    @Test func launchArgumentsOverrideStoredValues() throws {
        let layered = DefaultsAdapter(
            store: store,
            keyStore: DefaultsKeys(),
            layers: [.arguments(["program", "-count", "5", "-neg", "-5", "-list", "(1,2,3)"])]
        )
        layered.count = 1
        #expect(layered.count == 5 && layered.negative == -5)
        // A string is not parsed as an array, even if it looks like one.
        withIssueHandler({ _ in }) { #expect(layered.list == []) }
        #expect(adapter.count == 1)
    }
}
