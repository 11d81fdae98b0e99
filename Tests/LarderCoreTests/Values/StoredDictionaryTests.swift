import LarderCore
import Testing

@Suite struct StoredDictionaryTests {
    @Test func subscriptDistinguishesMissingKeyFromNull() {
        let dictionary: StoredDictionary = ["a": 1, "n": .null]
        #expect(dictionary["missing"] == nil)
        #expect(dictionary["n"] == StoredValue?.some(.null))
    }

    @Test func composedAndDecomposedKeysAreDistinct() {
        var dictionary: StoredDictionary = ["e\u{301}": 1, "\u{E9}": 2]
        dictionary["e\u{301}"] = nil
        #expect(dictionary.count == 1)
        #expect(dictionary["\u{E9}"] == 2)
    }

    @Test func entriesAreSortedByKeyBytes() {
        let dictionary: StoredDictionary = ["b": 1, "\u{E9}": 2, "": 3, "e\u{301}": 4, "a": 5, "ab": 6]
        #expect(dictionary.map(\.value) == [3, 5, 6, 1, 4, 2])
    }

    @Test func lastEntryWithDuplicateKeyWins() {
        #expect(StoredDictionary([("a", 1), ("b", 2), ("a", 3)]) == ["a": 3, "b": 2])
    }

    @Test func equalDictionariesHaveEqualHashes() {
        let one: StoredDictionary = ["a": 1, "b": .unsigned(2)]
        let other: StoredDictionary = ["b": 2, "a": 1]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": 1])
    }

    @Test func dictionaryValuesCanBeInsertedReplacedAndRemoved() {
        var dictionary = StoredDictionary()
        for key in ["m", "a", "z"] { dictionary[key] = 1 }
        dictionary["a"] = 2
        dictionary["m"] = nil
        dictionary["missing"] = nil
        dictionary["null"] = .some(.null)
        #expect(dictionary == ["a": 2, "null": .null, "z": 1])
    }

    @Test func storedDictionaryIsCreatedFromSwiftDictionary() {
        #expect(StoredDictionary(["b": 1, "a": 2] as [String: StoredValue]) == ["a": 2, "b": 1])
    }
}
