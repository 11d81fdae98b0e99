import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStorage
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

extension DefaultsKeys {
    fileprivate var count: DefaultsKey<Int> { .init("count", defaultValue: 0) }
    fileprivate var tags: DefaultsKey<[String]> { .init("tags", defaultValue: []) }
    fileprivate var name: DefaultsKey<String?> { .init("name") }
    fileprivate var frog: DefaultsKey<CodableFrog?> { .init("frog") }
}

struct AccessTests {
    private let store: any KeyValueStore = MemoryStore()
    private let adapter: DefaultsAdapter<DefaultsKeys>

    init() { adapter = DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    private func code(_ body: () throws -> Void) -> DefaultsError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? DefaultsError)?.code }
    }

    // MARK: - Throwing reads and writes

    @Test func readErrorDistinguishesMissingAndUndecodableValues() throws {
        #expect(code { _ = try adapter.read(\.count) } == .absent)
        try store.set("many", for: "count")
        #expect(code { _ = try adapter.read(\.count) } == .wrongType)
        try store.set(.data(Data("{".utf8)), for: "frog")
        #expect(code { _ = try adapter.read(\.frog) } == .undecodable)
        adapter.tags = ["a"]
        #expect(try adapter.read(\.tags) == ["a"])
        #expect(try store.verify().isIntact)
    }

    @Test func readThrowsStoreError() {
        let key = DefaultsKey<Int>(String(repeating: "k", count: StoreKey.maximumLength + 1), defaultValue: 1)
        #expect(throws: StoreError.self) { try adapter.read(key) }
        #expect(throws: StoreError.self) { try adapter.write(key, 2) }
        #expect(throws: StoreError.self) { try adapter.modify(key) { $0 += 1 } }
    }

    @Test func readUsesCustomBridge() throws {
        let key = DefaultsKey<BridgedFrog>("frog", defaultValue: BridgedFrog(name: ""))
        try adapter.write(key, BridgedFrog(name: "a"))
        #expect(try adapter.read(key) == BridgedFrog(name: "a"))
        try store.set([1], for: "frog")
        #expect(code { _ = try adapter.read(key) } == .wrongType)
    }

    @Test func readUsesSubclassOfBuiltInBridge() throws {
        final class Shouting: DefaultsStringBridge {
            override func get(key: String, userDefaults: UserDefaults) -> String? {
                super.get(key: key, userDefaults: userDefaults)?.uppercased()
            }
        }
        enum Shout: DefaultsSerializable { static var _defaults: DefaultsBridge<String> { Shouting() } }
        let key = DefaultsKey<Shout?>("shout")
        try adapter.write(key, "quiet")
        #expect(try adapter.read(key) == "QUIET")
        try store.set([1], for: "shout")
        #expect(code { _ = try adapter.read(key) } == .wrongType)
    }

    @Test func failedWriteThrowsAndChangesNothing() throws {
        try adapter.write(\.frog, CodableFrog(name: "a"))
        #expect(code { try adapter.write(\.frog, CodableFrog(name: "b", weight: .nan)) } == .notEncodable)
        #expect(adapter.frog == CodableFrog(name: "a"))
        try adapter.write(\.frog, nil)
        #expect(!adapter.hasKey(\.frog))
    }

    @Test func errorMessagesSuggestAction() throws {
        do {
            _ = try adapter.read(\.count)
        } catch let error as DefaultsError {
            #expect(
                error.description
                    == "Nothing is stored under \"count\". Use a subscript to read the key's default instead."
            )
            #expect(error.key == "count")
            #expect(error.code.description == "absent")
        }
        try store.set("many", for: "count")
        do {
            _ = try adapter.read(\.count)
        } catch let error as DefaultsError {
            #expect(error.description.hasPrefix("The value under \"count\" can't be converted to Int. Declare the key"))
            #expect(error.underlying is CoreError.NotFound)
        }
    }

    // MARK: - In-place changes

    @Test func concurrentInPlaceIncrementsAreAllCounted() async {
        let adapter = adapter
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for round in 0..<200 {
                        adapter.count += 1
                        if round % 50 == 0 { adapter[\.tags].append("\(number).\(round)") }
                    }
                }
            }
        }
        #expect(adapter.count == 1_600)
        #expect(Set(adapter.tags).count == 32)
    }

    @Test func updatesByConcurrentMutationsAndTransactionsAreNotLost() async {
        let adapter = adapter
        let failures = Recorder<String>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<100 {
                        do {
                            switch number % 3 {
                            case 0: adapter.count += 1
                            case 1: try adapter.modify(\.count) { $0 += 1 }
                            default: try adapter.transaction { $0.count += 1 }
                            }
                        } catch { failures.add("\(error)") }
                    }
                }
            }
        }
        #expect(failures.all.isEmpty)
        #expect(adapter.count == 800)
    }

    @Test func concurrentWriteDuringInPlaceIncrementsIsNotLost() async {
        let adapter = adapter
        for _ in 0..<50 {
            adapter.count = 0
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask { for _ in 0..<40 { adapter.count += 1 } }
                }
                group.addTask { adapter.count = 1_000_000 }
            }
            // Each in-place change is made before the write or changes the written value.
            #expect((1_000_000...1_000_120).contains(adapter.count))
        }
    }

    @Test func inPlaceMutationDoesNotOverwriteConcurrentWrites() throws {
        func change(_ number: inout Int, meanwhile: () throws -> Void) rethrows {
            number += 1
            try meanwhile()
        }
        // The test needs a separate name, because an undecodable value under a name disables the fast path for that name.
        struct Own: DefaultsKeyStore { var level: DefaultsKey<Int> { .init("AccessTests.level", defaultValue: 0) } }
        let adapter = DefaultsAdapter(store: store, keyStore: Own())
        _ = try issues { try change(&adapter.level) { try store.set(10, for: "AccessTests.level") } }
        #expect(adapter.level == 10)
        // A later change also ends normally if this thread writes during its own change.
        _ = issues { change(&adapter.level) { adapter.level = 50 } }
        #expect(adapter.level == 50)
    }

    @Test func removeAllRemovesKeysWrittenThroughKeyStore() {
        struct Other: DefaultsKeyStore { var count: DefaultsKey<Int> { .init("count", defaultValue: 0) } }
        let (first, second) = (adapter, DefaultsAdapter(store: store, keyStore: Other()))
        for number in 1...3 { first.count = number }
        second.removeAll()
        #expect(first.count == 3)
        for number in 4...6 { second.count = number }
        second.removeAll()
        #expect(!first.hasKey(\.count))
    }

    @Test func optionalIsWrittenAndRemovedOnFastPath() throws {
        for name in ["a", "b", "c"] { adapter.name = name }
        #expect(adapter.name == "c")
        #expect(try store.get("name") == "c")
        adapter.name = nil
        #expect(adapter.name == nil)
        #expect(try store.get("name") == nil)
        #expect(try store.verify().isIntact)
    }

    @Test func fastPathWriteErrorIsReported() throws {
        let directory = try TemporaryDirectory()
        let device = try DeviceStore(path: directory.path("s.larder"))
        let adapter = DefaultsAdapter(store: device, keyStore: DefaultsKeys())
        for number in 1...3 { adapter.count = number }
        try device.close()
        let recorder = IssueRecorder()
        withIssueHandler({ recorder.add($0) }) { adapter.count = 4 }
        #expect(recorder.issues.map(\.code) == [.writeFailed])
        #expect(recorder.issues.map(\.key) == ["count"])
    }

    @Test func throwingInPlaceMutationKeepsEarlierChanges() {
        struct Stop: Error {}
        func push(_ tags: inout [String]) throws {
            tags.append("a")
            throw Stop()
        }
        #expect(throws: Stop.self) { try push(&adapter.tags) }
        #expect(adapter.tags == ["a"])
        adapter.tags.append("b")
        #expect(adapter.tags == ["a", "b"])
    }

    @Test func writeDuringSuspendedInPlaceMutationReportsLostUpdate() async {
        func pause(_ number: inout Int, _ meanwhile: @Sendable @escaping () -> Void) async {
            number += 1
            await Task.detached { meanwhile() }.value
        }
        let recorder = IssueRecorder()
        let adapter = adapter
        await withIssueHandler({ recorder.add($0) }) { await pause(&adapter.count) { adapter.count = 10 } }
        #expect(adapter.count == 10)
        #expect(recorder.issues.map(\.code) == [.lostUpdate])
        #expect(recorder.issues.map(\.key) == ["count"])
    }

    @Test func observerCanWaitForThreadWritingSameKey() {
        let adapter = adapter
        let recorder = IssueRecorder()
        let token = adapter.observe(\.count) { update in
            guard update.newValue == 1 else { return }
            DispatchQueue.global().sync {
                Thread {}.start()
                withIssueHandler({ recorder.add($0) }) { adapter.count = 2 }
            }
        }
        adapter.count += 1
        #expect(adapter.count == 2)
        #expect(recorder.issues.isEmpty)
        token.dispose()
    }

    @Test func observersAreNotifiedAfterInPlaceMutationReleasesKey() async throws {
        let adapter = adapter
        let done = Recorder<Bool>()
        let token = adapter.observe(\.count) { update in
            guard update.newValue == 1 else { return }
            let finished = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                adapter.count += 10
                finished.signal()
            }
            done.add(finished.wait(timeout: .now() + 20) == .success)
        }
        adapter.count += 1
        try await waitUntil { done.all.count == 1 }
        // `KeyClaimsTests` counts the turns for which a thread waits for a claim.
        #expect(done.all == [true])
        #expect(adapter.count == 11)
        token.dispose()
    }

    // MARK: - Transactions

    @Test func transactionCommitsAllWritesOrNone() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try adapter.transaction { transaction in
                transaction.count = 5
                #expect(transaction.count == 5)
                throw Stop()
            }
        }
        #expect(!adapter.hasKey(\.count))
        let result = try adapter.transaction { transaction in
            transaction[\.count] = 2
            transaction[key: DefaultsKeys().name] = "Ada"
            transaction.remove(\.tags)
            return transaction[\.count]
        }
        #expect(result == 2)
        #expect(adapter.name == "Ada")
        adapter.removeAll()
        #expect(try store.count() == 0)
    }

    @Test func transactionWithFailedReadOrWriteChangesNothing() throws {
        try store.set("many", for: "count")
        #expect(code { try adapter.transaction { $0.count += 1 } } == .wrongType)
        #expect(code { try adapter.modify(\.count) { $0 += 1 } } == .wrongType)
        #expect(try store.get("count") == "many")
        #expect(
            code {
                try adapter.transaction { transaction in
                    transaction.name = "Ada"
                    transaction.frog = CodableFrog(name: "b", weight: .nan)
                }
            } == .notEncodable
        )
        let long = DefaultsKey<Int>(String(repeating: "k", count: StoreKey.maximumLength + 1), defaultValue: 1)
        #expect(throws: StoreError.self) { try adapter.transaction { $0.remove(long) } }
        #expect(!adapter.hasKey(\.name))
    }

    @Test func modifyReturnsClosureResult() throws {
        #expect(
            try adapter.modify(\.count) {
                $0 += 3; return "\($0)"
            } == "3"
        )
        #expect(
            try adapter.modify(DefaultsKeys().tags) {
                $0.append("a"); return $0.count
            } == 1
        )
    }

    // MARK: - Undecodable values

    @Test func undecodableValueIsPreservedWhenOverwritten() throws {
        let broken = StoredValue.data(Data("{".utf8))
        try store.set(broken, for: "frog")
        let reported = issues { #expect(adapter.frog == nil) }
        #expect(reported.map(\.code) == [.readFailed])
        #expect(try store.get("frog") == broken)
        #expect(try adapter.undecodableValues(of: DefaultsKeys().frog).isEmpty)
        adapter.frog = CodableFrog(name: "new")
        #expect(adapter.frog == CodableFrog(name: "new"))
        #expect(try adapter.undecodableValues(of: DefaultsKeys().frog) == [broken])
        #expect(try store.keys() == ["frog"])
        adapter.frog = CodableFrog(name: "newer")
        #expect(try adapter.undecodableValues(of: DefaultsKeys().frog) == [broken])
        try adapter.discardUndecodableValues(of: DefaultsKeys().frog)
        try adapter.discardUndecodableValues(of: DefaultsKeys().frog)
        #expect(try adapter.undecodableValues(of: DefaultsKeys().frog).isEmpty)
        #expect(try store.verify().isIntact)
    }

    @Test(.expectsIssues(.notConvertible)) func valueUndecodableByCustomBridgeIsPreserved() throws {
        let key = DefaultsKey<BridgedFrog?>("kept by bridge")
        try store.set([1, 2], for: "kept by bridge")
        #expect(adapter[key: key] == nil)
        try adapter.write(key, BridgedFrog(name: "a"))
        #expect(try adapter.undecodableValues(of: key) == [[1, 2]])
    }

    // MARK: - Origin, defaults, listing

    @Test func originDistinguishesStoredValueFromDefault() throws {
        #expect(try adapter.origin(of: \.count) == .keyDefault)
        adapter.count = 1
        #expect(try adapter.origin(of: \.count) == .stored)
        #expect(DefaultsOrigin.keyDefault.description == "key default")
    }

    // Behavior 38.
    @Test func isDefaultValueReturnsTrueForStoredDefault() {
        #expect(adapter.isDefaultValue(\.count))
        adapter.count = 0
        #expect(adapter.isDefaultValue(\.count))
        adapter.count = 1
        #expect(!adapter.isDefaultValue(DefaultsKeys().count))
    }

    // Behavior 39.
    @Test func resetDoesNotChangeOtherKeys() throws {
        adapter.count = 1
        adapter.name = "Ada"
        adapter.tags = ["a"]
        adapter.reset(\.count, \.name)
        #expect(adapter.count == 0)
        #expect(adapter.name == nil)
        #expect(adapter.tags == ["a"])
        adapter.reset(names: ["tags"])
        #expect(try store.count() == 0)
    }

    @Test func exportedValuesCanBeImported() throws {
        adapter.count = 1
        adapter.tags = ["a"]
        try store.set("foreign", for: "foreign")
        #expect(try adapter.storedNames() == ["count", "tags"])
        let exported = try adapter.exportValues()
        let other = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
        let origins = Recorder<StoreChange.Origin>()
        let token = other.observeAll { origins.add($0.origin) }
        try other.importValues(exported)
        #expect(other.count == 1)
        #expect(other.tags == ["a"])
        #expect(origins.all == [.imported])
        other.removeAll()
        #expect(try other.store.count() == 0)
        token.dispose()
    }

    @Test func removeAllRemovesKeysAfterKeyStoreTypeIsRenamed() throws {
        struct Old: DefaultsKeyStore { static var keyStoreName: String { "App.Settings" } }
        struct New: DefaultsKeyStore { static var keyStoreName: String { "App.Settings" } }
        DefaultsAdapter(store: store, keyStore: Old())[key: DefaultsKeys().count] = 4
        DefaultsAdapter(store: store, keyStore: New()).removeAll()
        #expect(try store.count() == 0)
    }

    // MARK: - A store for one task

    @Test func withDefaultsAppliesToChildTasks() async {
        let key = DefaultsKey<Int>("AccessTests.withDefaults", defaultValue: 0)
        await withDefaults(MemoryStore()) {
            Defaults[key: key] = 1
            await withTaskGroup(of: Void.self) { group in
                group.addTask { Defaults[key: key] += 1 }
            }
            #expect(Defaults[key: key] == 2)
            withDefaults(MemoryStore()) { #expect(Defaults[key: key] == 0) }
            DispatchQueue.global().sync {}
            await Task.detached { #expect(Defaults[key: key] == 0) }.value
        }
        #expect(Defaults[key: key] == 0)
        #expect(!Defaults.hasKey(key))
    }

    @Test func withDefaultsDoesNotAffectAdapterWithExplicitStore() {
        adapter.count = 3
        withDefaults(MemoryStore()) { #expect(adapter.count == 3) }
    }
}
