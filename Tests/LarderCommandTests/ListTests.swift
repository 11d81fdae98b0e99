#if Command
import Foundation
import Testing

@Suite struct ListTests {
    @Test func listPrintsSortedAlignedTable() throws {
        try withStorePath { path throws in
            _ = try CommandRun("put", "longer key", "a\nb", "--store", path)
            _ = try CommandRun("put", "b", "3", "--type", "int", "--store", path)
            let expected = """
                KEY         TYPE    VALUE
                b           int     3
                longer key  string  "a\\nb"

                """
            #expect(try CommandRun("list", "--store", path).output == expected)
        }
    }

    @Test func prefixOptionListsOnlyMatchingEntries() throws {
        try withStorePath { path throws in
            for key in ["Int.two", "Integer.two", "Int"] { _ = try CommandRun("put", key, "x", "--store", path) }
            let lines = try CommandRun("list", "--prefix", "Int", "--store", path).output.split(separator: "\n")
            #expect(lines.dropFirst() == ["Int.two  string  x"])
        }
    }

    @Test func listWithoutMatchesPrintsEmptyJSONArray() throws {
        try withStorePath { path throws in
            _ = try CommandRun("put", "a", "1", "--store", path)
            #expect(try CommandRun("list", "--prefix", "p", "--format", "json", "--store", path).output == "[]\n")
        }
    }

    /// The JSON is valid if Foundation can read it.
    @Test func listPrintsEveryValueAsValidJSON() throws {
        try withStorePath { path throws in
            var count = 0
            for value in PutGetTests.values + [("double", "nan", ""), ("float", "-inf", ""), ("double", "-0.0", "")] {
                count += 1
                _ = try CommandRun("put", "\(count)\u{1}\"\u{2028}", value.typed, "--type", value.type, "--store", path)
            }
            let output = try CommandRun("list", "--format", "json", "--store", path).output
            let parsed = try JSONSerialization.jsonObject(with: Data(output.utf8))
            #expect((parsed as? [[String: Any]])?.count == count)
        }
    }

    @Test func jsonListContainsTypesOfNestedValues() throws {
        try withStorePath { path throws in
            _ = try CommandRun("put", "a", "[1, 2.5]", "--type", "array", "--store", path)
            let expected = #"""
                [
                  {"key":"a","value":{"type":"array","value":[{"type":"int","value":1},{"type":"double","value":2.5}]}}
                ]

                """#
            #expect(try CommandRun("list", "--format", "json", "--store", path).output == expected)
        }
    }
}
#endif
