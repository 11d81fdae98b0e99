import Foundation
import Larder
import LarderTestSupport
import Testing

// The code of the article "Reading and writing values", in its order. The last test compares it with the article.

private struct Profile: Codable, Equatable {
    var name: String
}

private enum Values {
    static func types() throws -> MemoryStore {
        // Article
        let store = MemoryStore()
        try store.set(42, for: "count")  // any storable value
        try store.set(2.5, for: "height-\(7)")  // a key is a string or a StoreKey
        let count = try store.value(Int.self, for: "count") ?? 0  // nil: nothing is stored
        print(count)  // 42
        try store.remove("count")
        // end
        #expect(count == 42)
        return store
    }

    static func codable(_ store: any KeyValueStore, profile: Profile) throws -> Profile? {
        // Article
        try store.set(profile, for: "profile")
        let found = try store.value(Profile.self, for: "profile")  // a Profile?
        // end
        return found
    }

    static func transaction(_ store: any KeyValueStore) throws {
        // Article
        try store.transaction { transaction in
            let launches = try transaction.value(Int.self, for: "launches") ?? 0
            try transaction.set(launches + 1, for: "launches")
            try transaction.set(Date(), for: "last launch")
        }
        // end
    }

    static func syncedTransaction(_ store: any KeyValueStore) async throws {
        // Article
        try await store.transaction(durability: .synced) { transaction in
            let launches = try transaction.value(Int.self, for: "launches") ?? 0
            try transaction.set(launches + 1, for: "launches")
        }
        // end
    }

    static func wait(_ store: any KeyValueStore, count: Int) async throws {
        // Article
        try await store.set(count, for: "count", durability: .synced)
        try await store.flush()  // every commit so far
        // end
    }
}

@Suite struct ReadingAndWritingArticle {
    @Test func articleCodeRunsAsDocumented() async throws {
        let store = try Values.types()
        #expect(try store.get("height-7") == 2.5)
        #expect(try Values.codable(store, profile: Profile(name: "Ann")) == Profile(name: "Ann"))
        try Values.transaction(store)
        try await Values.syncedTransaction(store)
        #expect(try store.get("launches") == 2)
        try await Values.wait(store, count: 5)
        #expect(try store.get("count") == 5)
        #expect(store.verify().isIntact)
    }

    @Test func articleCodeMatchesTestedCode() throws {
        try expectSameCode(article: "LarderCore/LarderCore.docc/ReadingAndWriting.md", source: #filePath)
    }
}
