import Foundation
import LarderCore
import LarderDeviceStorage
import LarderStores
import LarderTestSupport
import LarderTesting
import Synchronization
import Testing

struct UserDefaultsStoreTests {
    let suite: TemporarySuite
    let store: UserDefaultsStore

    init() throws {
        suite = try TemporarySuite()
        store = UserDefaultsStore(suite.userDefaults)
    }

    // MARK: - Exact values

    @Test func everyValueSurvivesRelaunch() throws {
        try store.transaction { transaction in
            for (index, value) in StoredValueGenerator.edgeValues.enumerated() {
                try transaction.set(value, for: StoreKey("\(index)"))
                try transaction.set([value, ["nested": value]], for: StoreKey("nested \(index)"))
            }
        }
        let relaunched = UserDefaultsStore(try suite.relaunched())
        for (index, value) in StoredValueGenerator.edgeValues.enumerated() {
            #expect(try store.get("\(index)") == value)
            #expect(try relaunched.get("\(index)") == value)
            #expect(try relaunched.get("nested \(index)") == [value, ["nested": value]])
        }
        #expect(try relaunched.verify().isIntact)
    }

    @Test func keysWithUnusualCharactersSurviveRelaunch() throws {
        try store.transaction { transaction in
            for text in StoredValueGenerator.edgeTexts { try transaction.set(.string(text), for: StoreKey(text)) }
        }
        let relaunched = UserDefaultsStore(try suite.relaunched())
        let expected = StoredValueGenerator.edgeTexts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(try relaunched.entries() == expected.map { StoreEntry(key: $0, value: .string($0)) })
        #expect(try relaunched.verify().isIntact)
    }

    @Test func plainValueIsReadableByUserDefaults() throws {
        try store.set(.double(3.14159265359), for: "Double.pi")
        try store.set(.int(3), for: "Int.pi")
        try store.set(.string("text"), for: "String.pi")
        try store.set(.array(["a", "b"]), for: "list")
        let relaunched = try suite.relaunched()
        #expect(relaunched.double(forKey: "Double.pi") == 3.14159265359)
        #expect(relaunched.integer(forKey: "Int.pi") == 3)
        #expect(relaunched.string(forKey: "String.pi") == "text")
        #expect(relaunched.stringArray(forKey: "list") == ["a", "b"])
    }

    @Test func valueWrittenByOtherCodeIsRead() throws {
        suite.userDefaults.set(5, forKey: "int")
        suite.userDefaults.set([1.5, "🙂", true] as [Any], forKey: "list")
        suite.userDefaults.set(["k": Data([1])], forKey: "dictionary")
        #expect(try store.get("int") == .int(5))
        #expect(try store.get("list") == [1.5, "🙂", true])
        #expect(try store.get("dictionary") == ["k": .data(Data([1]))])
        #expect(try store.keys() == ["dictionary", "int", "list"])
    }

    // MARK: - Commits

    @Test func commitIsWrittenToDiskBeforeReturning() throws {
        try store.set(1, for: "a")
        #expect(try UserDefaultsStore(suite.relaunched()).get("a") == 1)
        try store.remove("a")
        #expect(!FileManager.default.fileExists(atPath: suite.path))
    }

    @Test func writingValueAlreadySetInMemoryPersistsValue() throws {
        suite.userDefaults.set(1, forKey: "a")
        try store.set(1, for: "a")
        #expect(try UserDefaultsStore(suite.relaunched()).get("a") == 1)
    }

    @Test func commitWithFailedExpectationChangesNothing() throws {
        try store.set(1, for: "a")
        #expect(try !store.compareAndSet("a", expecting: 2, to: 3))
        #expect(try !store.compareAndSet("b", expecting: 1, to: 3))
        #expect(try store.compareAndSet("a", expecting: 1, to: 3))
        #expect(try store.entries() == [StoreEntry(key: "a", value: 3)])
    }

    @Test func transactionCanRemoveListedEntries() throws {
        try store.set(1, for: "x.a")
        try store.transaction { transaction in
            for entry in try transaction.entries(prefix: "x.") { try transaction.remove(StoreKey(entry.key)) }
            try transaction.set(2, for: "y")
        }
        #expect(try store.keys() == ["y"])
    }

    @Test func failedWriteRestoresOldValues() throws {
        let userDefaults = try #require(UnwritableUserDefaults(suiteName: suite.folder.path("unwritable")))
        let store = UserDefaultsStore(userDefaults)
        try store.transaction { transaction in
            try transaction.set(1, for: "a")
            try transaction.set(.float(0.1), for: "b")
        }
        userDefaults.isUnwritable.withLock { $0 = true }
        let events = Mutex<[StoreEvent]>([])
        let observation = store.observe(prefix: "") { event in events.withLock { $0.append(event) } }
        let revision = try store.revision
        #expect(
            throwsCode(.inputOutput) {
                try store.transaction { transaction in
                    try transaction.set(2, for: "a")
                    try transaction.remove("b")
                    try transaction.set(3, for: "c")
                }
            }
        )
        #expect(try store.entries() == [StoreEntry(key: "a", value: 1), StoreEntry(key: "b", value: .float(0.1))])
        #expect(try store.revision == revision)
        #expect(events.withLock(\.self).isEmpty)
        observation.cancel()
        userDefaults.isUnwritable.withLock { $0 = false }
        try store.set(4, for: "d")
        #expect(try store.keys() == ["a", "b", "d"])
        #expect(try store.verify().isIntact)
    }

    @Test func commitThrowsIfFolderCannotBeCreated() throws {
        let store = UserDefaultsStore(try #require(UserDefaults(suiteName: "/proc/none/suite")))
        #expect(throwsCode(.inputOutput) { try store.set(1, for: "a") })
        #expect(try store.count() == 0)
    }

    @Test func failedFlushThrows() async throws {
        let userDefaults = try #require(UnwritableUserDefaults(suiteName: suite.folder.path("unwritable")))
        let store = UserDefaultsStore(userDefaults)
        try await store.flush()
        userDefaults.isUnwritable.withLock { $0 = true }
        await #expect(throws: StoreError.self) { try await store.flush() }
    }

    @Test func asyncCommitIsWrittenToDiskBeforeReturning() async throws {
        try await store.set(1, for: "a", durability: .synced)
        #expect(try UserDefaultsStore(suite.relaunched()).get("a") == 1)
    }

    /// The binary property list `["a": 1]` with one flipped bit, for which Foundation's reader ends the process.
    private static let damagedBinary =
        Array("bplist00".utf8) + [0xC1, 1, 2, 0x51, 0x61, 0x10, 1, 8, 11, 13, 0, 0, 0, 0, 0, 0, 1, 1]
        + [0, 0, 0, 0, 0, 0, 0, 3] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 15]

    @Test(
        arguments: [
            Data("<plist><dict>".utf8), Data("[1]".utf8),
            Data("<?xml version=\"1.0\"?><plist version=\"1.0\"><array/></plist>".utf8), Data(damagedBinary),
        ]
    )
    func corruptFileIsNotChanged(content: Data) throws {
        try content.write(to: URL(filePath: suite.path))
        #expect(throwsCode(.damaged) { try store.get("a") })
        #expect(throwsCode(.damaged) { try store.entries() })
        #expect(throwsCode(.damaged) { try store.set(1, for: "a") })
        #expect(throwsCode(.damaged) { try store.verify() })
        #expect(FileManager.default.contents(atPath: suite.path) == content)
        try FileManager.default.removeItem(atPath: suite.path)
        try store.set(1, for: "a")
        #expect(try store.get("a") == 1)
    }

    // MARK: - The values of the store

    @Test func launchArgumentIsNeitherReadNorListed() throws {
        let suite = try TemporarySuite()
        suite.userDefaults.setVolatileDomain(["port": "80", "host": "h"], forName: UserDefaults.argumentDomain)
        let store = UserDefaultsStore(suite.userDefaults)
        try store.set(8080, for: "port")
        #expect(try store.get("port") == 8080)
        #expect(try store.get("host") == nil as StoredValue?)
        #expect(try store.keys() == ["port"])
    }

    @Test func registeredValueIsReadButNotListed() throws {
        let key = "registered \(UUID())"
        suite.userDefaults.register(defaults: [key: 5])
        #expect(try store.get(key) == 5)
        #expect(try store.count() == 0)
    }

    @Test func unreadableValueIsReportedAndNotChanged() throws {
        suite.userDefaults.set(["larder:type": "float", "larder:value": "x"], forKey: "bad")
        try store.set(1, for: "good")
        #expect(throwsCode(.damaged) { try store.get("bad") })
        #expect(throwsCode(.damaged) { try store.set(2, for: "bad") })
        var keys: [String] = []
        let codes = try issueCodes { keys = try store.keys() }
        #expect(codes == [.damaged])
        #expect(keys == ["good"])
        let verification = try store.verify()
        #expect(verification.checkedEntries == 2)
        #expect(verification.problems.map(\.key) == ["bad"])
    }

    @Test func reservedKeyIsRejectedAndNotListed() throws {
        try store.set(1, for: "a")
        suite.userDefaults.set(1, forKey: "\u{0}larder.side")
        #expect(throwsCode(.reservedKey) { try store.get("\u{0}larder.side") })
        #expect(try store.keys() == ["a"])
    }

    // MARK: - Sharing

    @Test func storesOverSameUserDefaultsObserveEachOther() throws {
        let seen = Mutex<[StoreEvent]>([])
        let observation = store.observe(prefix: "") { event in seen.withLock { $0.append(event) } }
        let again = try #require(UserDefaults(suiteName: suite.folder.path("suite")))
        try UserDefaultsStore(again).set(1, for: "a")
        observation.cancel()
        let change = StoreChange(entries: [.init(key: "a", old: nil, new: 1)], origin: .thisProcess)
        #expect(seen.withLock(\.self) == [.change(change)])
    }

    @Test func noOpCommitIsNotDelivered() throws {
        try store.set(1, for: "a")
        let revision = try store.revision
        let seen = Mutex(0)
        let observation = store.observe(prefix: "") { _ in seen.withLock { $0 += 1 } }
        try store.set(1, for: "a")
        observation.cancel()
        #expect(seen.withLock(\.self) == 0)
        #expect(try store.revision == revision)
    }

    @Test func changesSequenceDeliversCommits() async throws {
        let changes = store.changes(prefix: "x.")
        try await store.set(1, for: "x.a", durability: .buffered)
        var iterator = changes.makeAsyncIterator()
        let change = StoreChange(entries: [.init(key: "x.a", old: nil, new: 1)], origin: .thisProcess)
        #expect(await iterator.next() == .change(change))
    }

    @Test func storeOverFacadeUsesUnderlyingStore() throws {
        let memory = MemoryStore()
        let store = UserDefaultsStore(UserDefaultsFacade(memory))
        try store.set(.float(0.1), for: "a")
        #expect(try memory.get("a") == .float(0.1))
        #expect(store.inspectionKind == memory.inspectionKind)
        #expect(store.capabilities == memory.capabilities)
    }

    @Test func urlSetThroughFacadeSurvivesRelaunch() throws {
        let facade = UserDefaultsFacade(store)
        facade.set(URL(string: "https://a.b/c?d#e"), forKey: "url")
        let relaunched = UserDefaultsFacade(UserDefaultsStore(try suite.relaunched()))
        #expect(relaunched.url(forKey: "url") == URL(string: "https://a.b/c?d#e"))
    }

    @Test func facadeOverCorruptFileReportsIssueAndStaysUsable() throws {
        try Data("<plist>".utf8).write(to: URL(filePath: suite.path))
        let facade = UserDefaultsFacade(store)
        facade.register(defaults: ["a": 1])
        var values: [String: Any] = [:]
        let codes = issueCodes {
            facade.set(2, forKey: "a")
            values = facade.dictionaryRepresentation()
            #expect(facade.integer(forKey: "a") == 1)
            #expect(!facade.synchronize())
        }
        #expect(codes == [.writeFailed, .readFailed, .readFailed, .writeFailed])
        #expect(values as? [String: Int] == ["a": 1])
    }

    @Test func inspectionNameIsSuiteName() throws {
        try store.set(1, for: "a")
        #expect(store.inspectionName == suite.folder.path("suite"))
        #expect(UserDefaultsStore(.standard).inspectionName == "standard")
        #expect(store.inspectionKind == "user defaults")
        #expect(try store.inspectionRows(prefix: "", limit: 5).map(\.key) == ["a"])
    }

    @Test func capabilitiesReflectUserDefaultsLimitations() {
        #expect(store.capabilities.survivesProcess)
        #expect(!store.capabilities.hasCrashAtomicTransactions)
        #expect(!store.capabilities.isSharedBetweenProcesses)
        #expect(store.capabilities.writeCost == .wholeStore)
        #expect(!store.capabilities.limitations.isEmpty)
    }

    @Test func concurrentWritesAreAllStored() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask { [store] in
                    for number in 0..<25 {
                        try await store.set(
                            .int(Int64(number)),
                            for: StoreKey("\(writer).\(number)"),
                            durability: .buffered
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.count() == 100)
        #expect(try store.verify().isIntact)
    }
}

/// A `UserDefaults` object that fails to write on request, as Foundation does on a full disk.
private final class UnwritableUserDefaults: UserDefaults {
    let isUnwritable = Mutex(false)

    override func synchronize() -> Bool { !isUnwritable.withLock(\.self) && super.synchronize() }
}
