import LarderCore
import Testing

@Suite struct StoredDictionaryTests {
    @Test func missingKeyIsNoValueRatherThanNull() {
        let dictionary: StoredDictionary = ["a": 1, "n": nil]
        #expect(dictionary["missing"] == StoredValue?.none)
        #expect(dictionary["n"] == StoredValue?.some(.null))
    }

    @Test func composedAndDecomposedKeysStandSideBySide() {
        var dictionary: StoredDictionary = ["e\u{301}": 1, "\u{E9}": 2]
        dictionary["e\u{301}"] = nil
        #expect(dictionary.count == 1)
        #expect(dictionary["\u{E9}"] == 2)
    }
}
