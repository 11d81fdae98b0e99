import Dispatch
import Foundation
import LarderCore
import LarderDeviceStorage
import LarderStores
import LarderTestSupport
import Synchronization
import Testing

/// When the device's storage is opened, configured, and stood in for.
@Suite struct StandardStorageTests {
    /// Opens a store in memory for the application "good", and nothing else.
    private let storage = StandardStorage { configuration in
        guard configuration?.application == "good" else { throw StoreError(.noLocation, "There is no home.") }
        return MemoryStore(name: "good")
    }

    private let good: DeviceStorageConfiguration

    init() throws { good = try DeviceStorageConfiguration(application: "good") }

    @Test func afterAnOpeningThatFailedItMayBeConfigured() throws {
        #expect(throwsCode(.noLocation) { try storage.open() })
        try storage.configure(good)
        #expect(try storage.open().inspectionName == "good")
        #expect(storage.store.inspectionName == "good")
    }

    @Test func theStoreIsAlwaysTheSameOnceOpened() throws {
        try storage.configure(good)
        let first = try storage.open() as? MemoryStore
        #expect(first != nil && first === storage.store as? MemoryStore)
        #expect(try first === storage.open() as? MemoryStore)
    }

    @Test func itIsNotConfiguredAnewOnceOpened() throws {
        try storage.configure(good)
        _ = storage.store
        #expect(throwsCode(.invalidConfiguration) { try storage.configure(good) })
        #expect(storage.configuration == good)
    }

    @Test func whatStandsInIsReportedOnceAndKeepsNothing() throws {
        let codes = issueCodes {
            for _ in 0..<3 { #expect(throwsCode(.noLocation) { try storage.store.set(1, for: "a") }) }
        }
        #expect(codes == [.unavailable])
        #expect(storage.store is ReopeningStore)
    }

    @Test func openingAgainThrowsWhyUntilItCanBeOpened() throws {
        let door = Door()
        let storage = StandardStorage { _ in try door.open() }
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

    @Test func threadsThatComeAtOnceGetTheSame() throws {
        try storage.configure(good)
        let names = Mutex<Set<ObjectIdentifier>>([])
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            guard let store = storage.store as? MemoryStore else { return }
            names.withLock { _ = $0.insert(ObjectIdentifier(store)) }
        }
        #expect(names.withLock(\.count) == 1)
    }
}
