import LarderCore
import LarderDataSources
import LarderStores
import LarderTesting
import Testing

/// Tests the issue that reports two data sources with overlapping keys in one store.
struct OverlappingPrefixTests {
    private let store = MemoryStore()

    private func source(_ prefix: String) -> DeviceStorageDataSource<Int> {
        DeviceStorageDataSource<Int>(store, prefix: prefix)
    }

    @Test func issueForOverlappingPrefixesNamesBothSources() {
        var sources: [DeviceStorageDataSource<Int>] = []
        let issues = issues {
            sources.append(source("a"))
            sources.append(source("a.b"))
        }
        #expect(issues.map(\.code) == [.overlappingPrefixes])
        #expect(issues.first?.message.contains("\"a\"") == true)
        #expect(issues.first?.message.contains("\"a.b\"") == true)
        #expect(sources.count == 2)
    }

    @Test func overlappingPrefixesAreReportedOnceInEitherOrder() {
        var sources: [DeviceStorageDataSource<Int>] = []
        let issues = issues {
            for _ in 0..<3 {
                sources.append(source("a.b.c"))
                sources.append(source("a"))
            }
        }
        #expect(issues.count == 1)
        #expect(sources.count == 6)
    }

    @Test func equalSiblingAndEmptyPrefixesDoNotOverlap() {
        var kept: [any DataSource] = []
        let issues = issues {
            kept.append(source("a"))
            kept.append(DeviceStorageDataSource<String>(store, prefix: "a"))
            kept.append(source("ab"))
            kept.append(source("a-b"))
            kept.append(source(""))
            kept.append(DeviceStorageDataSource<Int>(store, storageType: .rootKey("ab")))
            kept.append(DeviceStorageDataSource<Int>(MemoryStore(), prefix: "a.b"))
        }
        #expect(issues.isEmpty)
        #expect(kept.count == 7)
    }

    @Test func escapedPrefixesNeverOverlap() throws {
        let outer = DeviceStorageDataSource<Int>(store, storageType: .escapedPrefix("a"))
        let inner = DeviceStorageDataSource<Int>(store, storageType: .escapedPrefix("a.b"))
        let issues = try issues {
            let others = (
                DeviceStorageDataSource<Int>(store, storageType: .escapedPrefix("a")),
                DeviceStorageDataSource<Int>(store, storageType: .escapedPrefix("a.b"))
            )
            try others.1.put(1, forId: "c").get()
        }
        #expect(issues.isEmpty)
        outer.delete(AllObjectsQuery())
        #expect(try inner.get("c").get() == 1)
    }

    @Test func releasedSourceIsNotReportedAsOverlapping() {
        let issues = issues {
            _ = source("a").put(1, forId: "k").isSettled
            _ = source("a.b").put(1, forId: "k").isSettled
        }
        #expect(issues.isEmpty)
    }

    @Test func rootKeyInsidePrefixIsReportedAsOverlapping() {
        let root = DeviceStorageDataSource<Int>(store, storageType: .rootKey("a.settings"))
        let issues = issues { _ = source("a").put(1, forId: "k").isSettled }
        #expect(issues.map(\.code) == [.overlappingPrefixes])
        _ = root.put(1, forId: "k").isSettled
    }

    @Test func sourcesInDifferentViewsOfStoreDoNotOverlap() {
        let (one, two) = (PrefixedStore(store, prefix: "1/"), PrefixedStore(store, prefix: "2/"))
        let outer = DeviceStorageDataSource<Int>(one, prefix: "a")
        let apart = issues { _ = DeviceStorageDataSource<Int>(two, prefix: "a.b").put(1, forId: "k").isSettled }
        let together = issues { _ = DeviceStorageDataSource<Int>(one, prefix: "a.b").put(1, forId: "k").isSettled }
        #expect(apart.isEmpty)
        #expect(together.count == 1)
        _ = outer.put(1, forId: "k").isSettled
    }

    @Test func releasedDataSourcesDoNotRetainStore() {
        weak var released: MemoryStore?
        do {
            let store = MemoryStore()
            released = store
            let sources = (
                DeviceStorageDataSource<Int>(store, prefix: "a"), DeviceStorageDataSource<Int>(store, prefix: "c")
            )
            _ = sources.0.put(1, forId: "k").isSettled
        }
        #expect(released == nil)
    }
}
