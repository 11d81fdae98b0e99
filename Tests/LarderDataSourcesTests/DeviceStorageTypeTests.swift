import LarderCore
import LarderDataSources
import LarderStores
import Testing

struct DeviceStorageTypeTests {
    private let store = MemoryStore()

    // Behavior 18.
    @Test func prefixMatchesOnlyWhenFollowedByDot() throws {
        let source = DeviceStorageDataSource<Int>(store, prefix: "Int")
        source.put(1, forId: "one")
        try store.set(2, for: "Integer.two")
        #expect(try source.getAll(AllObjectsQuery()).get() == [1])
        try source.delete(AllObjectsQuery()).get()
        #expect(try store.keys() == ["Integer.two"])
    }

    @Test func keysWithDifferentEscapedPrefixesNeverCollide() throws {
        let places = [("a", "b.c"), ("a.b", "c"), ("a\\", ".b.c"), ("", "a.b.c")]
        for (index, (prefix, key)) in places.enumerated() {
            DeviceStorageDataSource<Int>(store, storageType: .escapedPrefix(prefix)).put(index, forId: key)
        }
        #expect(try store.count() == places.count)
        for (index, (prefix, key)) in places.enumerated() {
            #expect(
                try DeviceStorageDataSource<Int>(store, storageType: .escapedPrefix(prefix)).get(key).get() == index
            )
        }
    }

    @Test func rootKeyHoldsAllValuesInOneDictionary() throws {
        let source = DeviceStorageDataSource<Int>(store, storageType: .rootKey("r"))
        source.put(1, forId: "a")
        source.putAll([2], forId: "b")
        #expect(try store.get("r") == .dictionary(["a": 1, "b": [2]]))
    }

    @Test func deletionDoesNotCreateMissingRootKey() throws {
        try DeviceStorageDataSource<Int>(store, storageType: .rootKey("r")).delete("a").get()
        #expect(try store.count() == 0)
    }

    @Test func nonDictionaryValueUnderRootKeyIsLeftUnchanged() throws {
        try store.set("text", for: "r")
        let source = DeviceStorageDataSource<Int>(store, storageType: .rootKey("r"))
        #expect(throws: CoreError.NotValid.self) { try source.put(1, forId: "a").get() }
        #expect(throws: CoreError.NotValid.self) { try source.delete(AllObjectsQuery()).get() }
        #expect(throws: CoreError.NotValid.self) { try source.get("a").get() }
        #expect(try store.get("r") == "text")
    }

    @Test func concurrentPutsUnderRootKeyAreNotLost() async throws {
        let source = DeviceStorageDataSource<Int>(store, storageType: .rootKey("r"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 { group.addTask { _ = try await source.put(index, forId: index).value } }
            try await group.waitForAll()
        }
        #expect(try await source.entries().value.count == 100)
    }

    @Test(arguments: [DeviceStorageType.prefix("p"), .rootKey("p")])
    func dataSourceEntriesIncludeKeysAndOmitLists(type: DeviceStorageType) throws {
        let source = DeviceStorageDataSource<Int>(store, storageType: type)
        source.put(2, forId: "b")
        source.put(1, forId: "a")
        source.putAll([3], forId: "c")
        #expect(
            try source.entries().get() == [DataSourceEntry(key: "a", value: 1), DataSourceEntry(key: "b", value: 2)]
        )
        DeviceStorageDataSource<String>(store, storageType: type).put("text", forId: "d")
        #expect(try source.getAll(AllObjectsQuery()).get() == [1, 2, 3])
        let error = try #require(throws: CoreError.NotFound.self) { try source.entries().get() }
        #expect(error.key == "d")
    }

    @Test(arguments: [DeviceStorageType.prefix("p"), .rootKey("p")])
    func concurrentUpdatesAreNotLost(type: DeviceStorageType) async throws {
        let source = DeviceStorageDataSource<Int>(store, storageType: type)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { _ = try await source.update(KeyQuery("n")) { $0 = ($0 ?? 0) + 1 }.value }
            }
            try await group.waitForAll()
        }
        #expect(try await source.get("n").value == 50)
        #expect(try await source.update(KeyQuery("n")) { $0 = nil }.value == nil)
        await #expect(throws: CoreError.NotFound.self) { try await source.get("n").value }
    }

    @Test(arguments: [DeviceStorageType.prefix("p"), .rootKey("p")])
    func updateOfUnconvertibleValueChangesNothing(type: DeviceStorageType) throws {
        DeviceStorageDataSource<String>(store, storageType: type).put("text", forId: "n")
        let source = DeviceStorageDataSource<Int>(store, storageType: type)
        #expect(throws: CoreError.NotFound.self) { try source.update(KeyQuery("n")) { $0 = 1 }.get() }
        #expect(try DeviceStorageDataSource<String>(store, storageType: type).get("n").get() == "text")
    }

    @Test(arguments: [DeviceStorageType.prefix("p"), .rootKey("p")])
    func lossyReadInUpdateIsReported(type: DeviceStorageType) {
        DeviceStorageDataSource<Double>(store, storageType: type).put(2.7, forId: "n")
        let source = DeviceStorageDataSource<Int>(store, storageType: type)
        let issues = issues { source.update(KeyQuery("n")) { $0 = ($0 ?? 0) + 1 } }
        #expect(issues.map(\.code) == [.lossyConversion])
    }

    @Test(arguments: [DeviceStorageType.prefix("p"), .rootKey("p")])
    func readerReceivesChangesToSelectedKeys(type: DeviceStorageType) async throws {
        let source = DeviceStorageDataSource<Int>(store, storageType: type)
        var one = source.changes(for: KeyQuery("a")).makeAsyncIterator()
        var all = source.changes(for: AllObjectsQuery()).makeAsyncIterator()
        source.put(1, forId: "a")
        source.putAll([2], forId: "b")
        source.delete("a")
        #expect(await one.next() == .value(1, key: "a"))
        #expect(await one.next() == .gone(key: "a"))
        #expect(await all.next() == .value(1, key: "a"))
        #expect(await all.next() == .list([2], key: "b"))
        #expect(await all.next() == .gone(key: "a"))
    }
}

struct InMemoryDataSourceTests {
    private let source = InMemoryDataSource<Int>()

    @Test func dataSourceEntriesIncludeKeys() throws {
        source.put(2, forId: "b")
        source.put(1, forId: "a")
        source.putAll([3], forId: "c")
        #expect(
            try source.entries().get() == [DataSourceEntry(key: "a", value: 1), DataSourceEntry(key: "b", value: 2)]
        )
    }

    @Test func updateCanChangeOrDeleteValue() throws {
        #expect(try source.update(KeyQuery("n")) { $0 = ($0 ?? 0) + 1 }.get() == 1)
        #expect(try source.update(KeyQuery("n")) { $0 = ($0 ?? 0) + 1 }.get() == 2)
        #expect(try source.update(KeyQuery("n")) { $0 = nil }.get() == nil)
        #expect(throws: CoreError.NotFound.self) { try source.get("n").get() }
    }

    @Test func noOpUpdateKeepsStoredList() throws {
        source.putAll([1], forId: "l")
        _ = source.update(KeyQuery("l")) { #expect($0 == nil) }
        #expect(try source.getAll("l").get() == [1])
    }

    @Test func readerReceivesChangesToSelectedKeys() async {
        var some = source.changes(for: IdsQuery(["a", "b"])).makeAsyncIterator()
        source.put(1, forId: "a")
        source.put(9, forId: "c")
        source.putAll([2], forId: "b")
        source.delete("a")
        #expect(await some.next() == .value(1, key: "a"))
        #expect(await some.next() == .list([2], key: "b"))
        #expect(await some.next() == .gone(key: "a"))
    }

    @Test func slowReaderReceivesMissedCount() async {
        var changes = source.changes(for: AllObjectsQuery()).makeAsyncIterator()
        for number in 0..<1_030 { source.put(number, forId: number) }
        #expect(await changes.next() == .missed(6))
        #expect(await changes.next() == .value(6, key: "6"))
    }

    @Test func cancellingTaskEndsWaitingReader() async {
        let changes = source.changes(for: AllObjectsQuery())
        let task = Task { await changes.first { _ in true } }
        task.cancel()
        #expect(await task.value == nil)
    }
}
