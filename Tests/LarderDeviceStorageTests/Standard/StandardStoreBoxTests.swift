import Dispatch
import Foundation
import LarderCore
import LarderDeviceStorage
import LarderStores
import LarderTestSupport
import Synchronization
import Testing

/// Tests opening and configuring the device's storage.
@Suite struct StandardStoreBoxTests {
    /// A box that opens a memory store for the application "good", and throws an error for all other applications.
    private let storage = StandardStoreBox { configuration in
        guard configuration?.application == "good" else { throw StoreError(.noLocation, "There is no home.") }
        return MemoryStore(name: "good")
    }

    private let good: StandardStoreConfiguration

    init() throws { good = try StandardStoreConfiguration(application: "good") }

    @Test func storeCanBeConfiguredAfterFailedOpen() throws {
        #expect(throwsCode(.noLocation) { try storage.open() })
        try storage.configure(good)
        #expect(try storage.open().inspectionName == "good")
        #expect(storage.store.inspectionName == "good")
    }

    @Test func openAlwaysReturnsSameStore() throws {
        try storage.configure(good)
        let first = try storage.open() as? MemoryStore
        #expect(first != nil && first === storage.store as? MemoryStore)
        #expect(try first === storage.open() as? MemoryStore)
    }

    @Test func storeCannotBeConfiguredOnceOpened() throws {
        try storage.configure(good)
        _ = storage.store
        #expect(throwsCode(.invalidConfiguration) { try storage.configure(good) })
        #expect(storage.configuration == good)
    }

    @Test func unavailableStoreRejectsWritesAndIsReportedOnce() throws {
        let codes = issueCodes {
            for _ in 0..<3 { #expect(throwsCode(.noLocation) { try storage.store.set(1, for: "a") }) }
        }
        #expect(codes == [.unavailable])
        #expect(storage.store is ReopeningStore)
    }

    @Test func openThrowsUnderlyingErrorUntilStoreIsAvailable() throws {
        let door = Door()
        let storage = StandardStoreBox { _ in try door.open() }
        withIssueHandler({ _ in }) { _ = storage.store }
        #expect(throwsCode(.diskFull) { try storage.open() })
        door.isOpen.store(true, ordering: .relaxed)
        let opened = try storage.open()
        try opened.set(1, for: "a")
        #expect(try storage.store.get("a") == 1)
        #expect(try opened.verify().isIntact)
    }

    private final class Door: Sendable {
        let isOpen = Atomic<Bool>(false)

        func open() throws -> any KeyValueStore {
            guard isOpen.load(ordering: .relaxed) else { throw StoreError(.diskFull, "The disk is full.") }
            return MemoryStore(name: "late")
        }
    }

    @Test func concurrentThreadsGetSameStore() throws {
        try storage.configure(good)
        let names = Mutex<Set<ObjectIdentifier>>([])
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            guard let store = storage.store as? MemoryStore else { return }
            names.withLock { _ = $0.insert(ObjectIdentifier(store)) }
        }
        #expect(names.withLock(\.count) == 1)
    }
}
