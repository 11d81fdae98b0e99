import Larder
import LookAlikeCombine
import LookAlikeSwiftData
import LookAlikeSwiftUI
import Testing

/// Tests types of Larder together with other types of the same names, each qualified with its module.
@Suite struct TypeClashTests {
    struct BookQuery: Larder.Query {}

    /// A type whose properties use both types of each ambiguous name.
    struct Library {
        let loaded: Larder.Future<Int>
        let published: LookAlikeCombine.Future<Int, Never>
        let fetched: LookAlikeSwiftData.Query<Int, [Int]>
        let asked: any Larder.Query
    }

    @Test func futureAndQueryTypesCanBeQualifiedWithModuleName() {
        let library = Library(
            loaded: Larder.Future(42),
            published: LookAlikeCombine.Future { $0(.success(42)) },
            fetched: LookAlikeSwiftData.Query(),
            asked: BookQuery()
        )
        #expect(library.loaded.isSettled)
        #expect(library.asked is BookQuery)
    }

    /// The result of a call to Larder can be used without naming its type.
    @Test func inferredTypesNeedNoQualification() async throws {
        let source = InMemoryDataSource<Int>()
        let doubled = source.put(21, forId: "number").map { $0 * 2 }
        #expect(try await doubled.value == 42)
    }

    @Test func uniqueTypeNamesNeedNoQualification() throws {
        @LookAlikeCombine.Published var title = "title"
        @LookAlikeSwiftUI.AppStorage("count") var count = 1
        let store = MemoryStore()
        try store.set(count, for: "count")
        #expect(title == "title")
        #expect(try store.value(Int.self, for: "count") == 1)
        #expect(Just(1).output == 1)
    }
}
