import Larder
import LookAlikeCombine
import LookAlikeSwiftData
import LookAlikeSwiftUI
import Testing

import struct Larder.Future
import protocol Larder.Query

/// Tests that a scoped import selects, for a whole file, which of two types with the same name is used.
@Suite struct ScopedImportTests {
    struct BookQuery: Query {}

    @Test func scopedImportTakesPrecedenceOverModuleImports() async throws {
        let future: Future<Int> = Future(42)
        let query: any Query = BookQuery()
        #expect(try await future.value == 42)
        #expect(query is BookQuery)
    }

    @Test func shadowedTypeIsAvailableByModuleName() {
        let published = LookAlikeCombine.Future<Int, Never> { $0(.success(1)) }
        let fetched = LookAlikeSwiftData.Query<Int, [Int]>()
        #expect(type(of: published) == LookAlikeCombine.Future<Int, Never>.self)
        #expect(type(of: fetched) == LookAlikeSwiftData.Query<Int, [Int]>.self)
    }
}
