import Foundation
import LarderCore
import LarderDeviceStorage
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Synchronization
import Testing

/// Tests the fallback for the device's storage while the underlying store can't be opened.
@Suite struct ReopeningStoreTests {
    /// A store that can be opened only after it is unlocked.
    private final class Door: Sendable {
        let real = MemoryStore()
        let attempts = Atomic<Int>(0)
        let isOpen = Atomic<Bool>(false)

        func open() throws -> any KeyValueStore {
            attempts.add(1, ordering: .relaxed)
            guard isOpen.load(ordering: .relaxed) else { throw StoreError(.noLocation, "There is no home.") }
            return real
        }

        var attemptCount: Int { attempts.load(ordering: .relaxed) }
        func unlock() { isOpen.store(true, ordering: .relaxed) }
    }

    private let door = Door()
    private let time = ManualTimeSource()

    private func makeStore() -> any KeyValueStore {
        let door = door
        return ReopeningStore.opening(time: time) { try door.open() }
    }

    @Test func openingReturnsUnderlyingStoreIfAvailable() {
        door.unlock()
        #expect(makeStore() is MemoryStore)
    }

    @Test func everyCallToUnavailableStoreThrowsOpenError() async throws {
        let store = makeStore()
        #expect(throwsCode(.noLocation) { try store.get("a") })
        #expect(throwsCode(.noLocation) { try store.entries() })
        #expect(throwsCode(.noLocation) { try store.set(1, for: "a") })
        #expect(throwsCode(.noLocation) { try store.verify() })
        #expect(throwsCode(.noLocation) { try store.revision })
        await #expect(throws: StoreError.self) { try await store.flush() }
        await #expect(throws: StoreError.self) { try await store.set(1, for: "a", durability: .synced) }
        #expect(store.capabilities.survivesProcess == false && !store.capabilities.limitations.isEmpty)
        #expect(!store.inspectionKind.isEmpty && !store.inspectionName.isEmpty)
    }

    @Test func writesToUnavailableStoreAreNotAppliedLater() throws {
        let store = makeStore()
        #expect(throwsCode(.noLocation) { try store.set(1, for: "a") })
        door.unlock()
        time.advance(by: .seconds(1))
        #expect(try store.get("a") == nil)
        #expect(try store.verify().isIntact)
    }

    @Test func failedOpenIsRetriedAtMostOncePerSecond() throws {
        let store = makeStore()
        for _ in 0..<5 { #expect(throwsCode(.noLocation) { try store.get("a") }) }
        #expect(door.attemptCount == 1)
        time.advance(by: .seconds(1))
        for _ in 0..<5 { #expect(throwsCode(.noLocation) { try store.get("a") }) }
        #expect(door.attemptCount == 2)
    }

    @Test func callsAreForwardedAfterStoreOpens() async throws {
        let store = makeStore()
        door.unlock()
        time.advance(by: .seconds(1))
        try store.set(1, for: "a")
        try await store.set(2, for: "b", durability: .synced)
        try await store.flush()
        #expect(try door.real.keys() == ["a", "b"])
        #expect(store.inspectionKind == door.real.inspectionKind)
        #expect(store.capabilities == door.real.capabilities)
        #expect(throwsCode(.unsupportedValue) { try store.validate(.null, for: "a") })
        #expect(try store.verify().isIntact)
    }

    @Test func explicitOpenRetriesImmediately() throws {
        let store = try #require(makeStore() as? ReopeningStore)
        #expect(throwsCode(.noLocation) { try store.open() })
        door.unlock()
        try store.open()
        #expect(try store.get("a") == nil)
        #expect(door.attemptCount == 3)
    }

    @Test func fallbackObserversReceiveChangesOfUnderlyingStore() throws {
        let store = makeStore()
        let heard = Mutex<[StoreEvent]>([])
        let observation = store.observe(prefix: "") { event in heard.withLock { $0.append(event) } }
        let changes = store.changes()
        door.unlock()
        time.advance(by: .seconds(1))
        try store.set(1, for: "a")
        #expect(heard.withLock(\.count) == 1)
        withExtendedLifetime((observation, changes)) {}
    }

    @Test(.expectsIssues(.damaged, .degraded)) func fallbackIssueReadersReceiveIssuesOfUnderlyingStore() async throws {
        let door = door
        let opening = LarderIssue(.damaged, "The last commit was cut off.")
        let store = ReopeningStore.opening(time: time) {
            let store = try door.open()
            store.issues.report(opening)
            return store
        }
        var issues = store.issues.makeAsyncIterator()
        door.unlock()
        time.advance(by: .seconds(1))
        #expect(try store.get("a") == nil)
        #expect(await issues.next()?.message == opening.message)
        door.real.issues.report(LarderIssue(.degraded, "The disk did not confirm."))
        #expect(await issues.next()?.message == "The disk did not confirm.")
    }

    @Test func openErrorIsReportedAsIssue() throws {
        let store = try #require(makeStore() as? ReopeningStore)
        #expect(issueCodes { store.reportFailure() } == [.unavailable])
    }

    @Test func facadeOverUnavailableStoreReturnsDefaultsAndReportsIssues() throws {
        let defaults = UserDefaultsFacade(makeStore())
        let codes = issueCodes {
            defaults.set(1, forKey: "a")
            #expect(defaults.integer(forKey: "a") == 0)
        }
        #expect(codes == [.writeFailed, .readFailed])
    }
}
