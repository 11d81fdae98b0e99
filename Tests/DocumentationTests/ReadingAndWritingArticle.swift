import Foundation
import Larder
import LarderTestSupport
import Testing

// The code of the article "Reading and writing values", in the text's order; the last test compares it with the article's.

private struct Profile: Codable, Equatable {
    var name: String
}

private enum Values {
    static func types(_ store: any KeyValueStore, count: Int, number: Int) throws -> Int {
        // Article
        try store.set(count, for: "count")  // any storable value
        try store.set(2.5, for: "height-\(number)")  // a key is a string or a StoreKey
        let again = try store.value(Int.self, for: "count") ?? 0  // nil: nothing is stored
        try store.remove("count")
        // end
        return again
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
    @Test func theCodeAboutReadingAndWritingDoesWhatItSays() async throws {
        let store = MemoryStore()
        #expect(try Values.types(store, count: 3, number: 7) == 3)
        #expect(try store.get("height-7") == 2.5)
        #expect(try Values.codable(store, profile: Profile(name: "Ann")) == Profile(name: "Ann"))
        try Values.transaction(store)
        try await Values.syncedTransaction(store)
        #expect(try store.get("launches") == 2)
        try await Values.wait(store, count: 5)
        #expect(try store.get("count") == 5)
        #expect(store.verify().isIntact)
    }

    @Test func theCodeOfTheArticleIsTheCodeThatIsTested() throws {
        try expectSameCode(article: "LarderCore/LarderCore.docc/ReadingAndWriting.md", source: #filePath)
    }
}
