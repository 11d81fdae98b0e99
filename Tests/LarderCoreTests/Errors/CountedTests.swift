import LarderCore
import Testing

@Suite struct CountedTests {
    @Test(arguments: [(0, "0 keys"), (1, "1 key"), (2, "2 keys"), (-1, "-1 keys")])
    func countedNounAgreesWithNumber(number: Int, expected: String) {
        #expect(counted(number, "key") == expected)
    }

    @Test(arguments: [(0, "0 entries were"), (1, "1 entry was"), (2, "2 entries were")])
    func countedNounUsesIrregularPlural(number: Int, expected: String) {
        #expect(counted(number, "entry was", "entries were") == expected)
    }
}
