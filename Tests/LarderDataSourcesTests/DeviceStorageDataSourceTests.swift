import Foundation
import LarderCore
import LarderDataSources
import LarderStores
import Testing

struct DeviceStorageDataSourceTests {
    private let store: any KeyValueStore = MemoryStore()

    @Test func storedValueIsReadBack() throws {
        let source = DeviceStorageDataSource<Double>(store)
        #expect(try source.put(3.14159265359, forId: "pi").get() == 3.14159265359)
        #expect(try source.get("pi").get() == 3.14159265359)
        #expect(try store.verify().isIntact)
    }

    @Test func putCompletesSynchronously() throws {
        DeviceStorageDataSource<Int>(store).put(3, forId: "n")
        #expect(try store.get("n") == 3)
    }

    @Test func prefixAndKeyAreJoinedByDot() throws {
        DeviceStorageDataSource<Double>(store, prefix: "Double").put(3.5, forId: "pi")
        DeviceStorageDataSource<Int>(store, prefix: "Int").put(3, forId: "pi")
        DeviceStorageDataSource<Int>(store).put(1, forId: "pi")
        #expect(try store.keys() == ["Double.pi", "Int.pi", "pi"])
    }

    @Test func storedDoubleCanBeReadAsString() throws {
        DeviceStorageDataSource<Double>(store, prefix: "Double").put(3.14159265359, forId: "pi")
        let text = DeviceStorageDataSource<String>(store, prefix: "Double")
        #expect(try text.get("pi").get() == "3.14159265359")
    }

    @Test func readingMissingValueFailsWithReasonAbsent() throws {
        let error = try #require(throws: CoreError.NotFound.self) {
            try DeviceStorageDataSource<Int>(store, prefix: "Int").get("pi").get()
        }
        #expect(error.reason == .absent)
        #expect(error.key == "Int.pi")
    }

    @Test func readingUnconvertibleValueFailsWithReasonNotConvertible() throws {
        DeviceStorageDataSource<String>(store).put("three", forId: "n")
        let error = try #require(throws: CoreError.NotFound.self) {
            try DeviceStorageDataSource<Int>(store).get("n").get()
        }
        #expect(error.reason == .notConvertible(stored: .string, asked: "Int"))
        #expect(try store.get("n") == "three")
    }

    @Test func strictPolicyRejectsValueOfAnotherType() throws {
        DeviceStorageDataSource<String>(store).put("12", forId: "n")
        #expect(try DeviceStorageDataSource<Int>(store).get("n").get() == 12)
        let strict = DeviceStorageDataSource<Int>(store, policy: .strict)
        #expect(throws: CoreError.NotFound.self) { try strict.get("n").get() }
    }

    @Test func puttingNilFailsWithIllegalArgument() throws {
        let source = DeviceStorageDataSource<Int>(store)
        source.put(1, forId: "n")
        #expect(throws: CoreError.IllegalArgument.self) { try source.put(nil, forId: "n").get() }
        #expect(try source.get("n").get() == 1)
    }

    @Test func deletingMissingKeySucceeds() throws {
        try DeviceStorageDataSource<Int>(store).delete("nothing").get()
    }

    @Test func deletedValueIsAbsent() throws {
        let source = DeviceStorageDataSource<Int>(store, prefix: "p")
        source.put(1, forId: "n")
        try source.delete("n").get()
        #expect(try store.count() == 0)
    }

    @Test func listCanBeReadAsArrayValue() throws {
        let source = DeviceStorageDataSource<Int>(store)
        #expect(try source.putAll([3, 1, 2], in: KeyQuery("list")).get() == [3, 1, 2])
        #expect(try source.getAll(KeyQuery("list")).get() == [3, 1, 2])
        #expect(try DeviceStorageDataSource<[Int]>(store).get("list").get() == [3, 1, 2])
        #expect(throws: CoreError.NotFound.self) { try source.get("list").get() }
    }

    @Test func emptyListCanBeStored() throws {
        let source = DeviceStorageDataSource<String>(store)
        source.putAll([], forId: "list")
        #expect(try source.getAll("list").get() == [])
    }

    @Test func putWithInvalidKeyFailsAndChangesNothing() throws {
        let key = String(repeating: "k", count: StoreKey.maximumLength + 1)
        let error = try #require(throws: StoreError.self) {
            try DeviceStorageDataSource<Int>(store).put(1, forId: key).get()
        }
        #expect(error.code == .keyTooLong)
        #expect(try store.count() == 0)
    }

    @Test func unhandledPutErrorIsReported() {
        let issues = issues { DeviceStorageDataSource<Int>(store).put(nil, forId: "n") }
        #expect(issues.map(\.code) == [.unhandledFailure])
    }
}
