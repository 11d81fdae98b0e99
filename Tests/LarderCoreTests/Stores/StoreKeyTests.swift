import LarderCore
import Testing

@Suite struct StoreKeyTests {
    @Test func aKeyIsTheSameWhereverItsPrefixEnds() {
        #expect(StoreKey("pi", prefix: "Double.") == StoreKey("Double.pi"))
        #expect(StoreKey("ab", prefix: "c") != StoreKey("b", prefix: "ac"))
        #expect(StoreKey("pi", prefix: "Double.") != StoreKey("Double.p"))
    }

    @Test func equalKeysHashAlike() {
        #expect(StoreKey("pi", prefix: "Double.").hashValue == StoreKey("uble.pi", prefix: "Do").hashValue)
    }

    @Test func composedAndDecomposedTextsAreTwoKeys() { #expect(StoreKey("\u{E9}") != StoreKey("e\u{301}")) }

    @Test(arguments: [
        StoreKey("\u{0}larder"), StoreKey("\u{0}larder.x"), StoreKey("arder", prefix: "\u{0}l"),
        StoreKey("x", prefix: "\u{0}larder"),
    ])
    func reservedKeysAreRefused(key: StoreKey) {
        let error = #expect(throws: StoreError.self) { try key.validate() }
        #expect(error?.code == .reservedKey)
    }

    @Test func aReservedKeyOfLarderItselfIsTaken() throws { try StoreKey(reserved: ".versions").validate() }

    @Test(arguments: [
        StoreKey("pi", prefix: "Double."), StoreKey(""), StoreKey("e\u{301}"), StoreKey(reserved: ".versions"),
    ])
    func keyThatRemembersItsHashEqualsTheOneItWasMadeOf(key: StoreKey) throws {
        let remembering = key.rememberingHash()
        #expect(remembering == key)
        #expect(remembering.hashValue == key.hashValue)
        #expect(remembering.text == key.text)
        try remembering.validate()
    }

    @Test func reservedKeyIsRefusedAlthoughItRemembersItsHash() {
        #expect(throws: StoreError.self) { try StoreKey("\u{0}larder.x").rememberingHash().validate() }
    }

    @Test(arguments: [
        "", ".", "a b", "\u{0}", "\u{0}larde", "larder", "\u{0}Larder", "👩", "\n", String(repeating: "k", count: 4_096),
    ])
    func everyOtherTextIsAKey(text: String) throws { try StoreKey(text).validate() }

    @Test func moreThan4096BytesAreRefused() {
        let error = #expect(throws: StoreError.self) {
            try StoreKey(String(repeating: "é", count: 2_048), prefix: "x").validate()
        }
        #expect(error?.code == .keyTooLong)
        #expect((error?.key?.utf8.count ?? 0) <= 66)
    }

    @Test func keysSortByTheirBytes() {
        #expect(StoreKey("b", prefix: "a") < "b")
        #expect(StoreKey("Z") < "a")
        #expect(StoreKey("e\u{301}") < "\u{E9}")
        #expect(StoreKey("\u{FFFF}") < "\u{10000}")
    }

    @Test func aKeyIsPrintedInQuotationMarks() { #expect(StoreKey("\n", prefix: "a").description == #""a\n""#) }

    @Test func identifiersHaveStableKeys() {
        enum Flavour: String, KeyConvertible { case sour }
        #expect(Flavour.sour.storageKey == "sour")
        #expect((-3 as Int8).storageKey == "-3")
        #expect(UInt64.max.storageKey == "18446744073709551615")
        #expect("x".storageKey == "x")
        #expect(StringKeyQuery("k").key == "k")
    }
}
