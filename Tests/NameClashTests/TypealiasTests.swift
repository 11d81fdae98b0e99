import Larder
import LookAlikeCombine
import LookAlikeSwiftData
import LookAlikeSwiftUI
import Testing

private typealias Future = Larder.Future
private typealias Query = Larder.Query

/// Tests that a typealias selects, for a file or a module, which of two types with the same name is used.
@Suite struct TypealiasTests {
    private struct BookQuery: Query {}

    @Test func typealiasTakesPrecedenceOverImports() async throws {
        let future: Future<Int> = Future(42)
        let query: any Query = BookQuery()
        #expect(try await future.value == 42)
        #expect(query is BookQuery)
    }
}
