import LarderCore
import Testing

@Suite struct StoreKeyTests {
    @Test func keyEqualityIgnoresPrefixBoundary() {
        #expect(StoreKey("pi", prefix: "Double.") == StoreKey("Double.pi"))
        #expect(StoreKey("ab", prefix: "c") != StoreKey("b", prefix: "ac"))
        #expect(StoreKey("pi", prefix: "Double.") != StoreKey("Double.p"))
    }

    @Test func equalKeysHaveEqualHashes() {
        #expect(StoreKey("pi", prefix: "Double.").hashValue == StoreKey("uble.pi", prefix: "Do").hashValue)
    }

    @Test func composedAndDecomposedStringsAreDifferentKeys() { #expect(StoreKey("\u{E9}") != StoreKey("e\u{301}")) }

    @Test(arguments: [
        StoreKey("\u{0}larder"), StoreKey("\u{0}larder.x"), StoreKey("arder", prefix: "\u{0}l"),
        StoreKey("x", prefix: "\u{0}larder"),
    ])
    func reservedKeysAreRejected(key: StoreKey) {
        let error = #expect(throws: StoreError.self) { try key.validate() }
        #expect(error?.code == .reservedKey)
    }

    @Test func internalReservedKeyIsValid() throws { try StoreKey(reserved: ".versions").validate() }

    @Test(arguments: [
        StoreKey("pi", prefix: "Double."), StoreKey(""), StoreKey("e\u{301}"), StoreKey(reserved: ".versions"),
    ])
    func keyWithCachedHashEqualsOriginalKey(key: StoreKey) throws {
        let remembering = key.rememberingHash()
        #expect(remembering == key)
        #expect(remembering.hashValue == key.hashValue)
        #expect(remembering.text == key.text)
        try remembering.validate()
    }

    @Test func reservedKeyWithCachedHashIsRejected() {
        #expect(throws: StoreError.self) { try StoreKey("\u{0}larder.x").rememberingHash().validate() }
    }

    @Test(arguments: [
        "", ".", "a b", "\u{0}", "\u{0}larde", "larder", "\u{0}Larder", "👩", "\n", String(repeating: "k", count: 4_096),
    ])
    func anyUnreservedStringIsValidKey(text: String) throws { try StoreKey(text).validate() }

    @Test func keyLongerThan4096BytesIsRejected() {
        let error = #expect(throws: StoreError.self) {
            try StoreKey(String(repeating: "é", count: 2_048), prefix: "x").validate()
        }
        #expect(error?.code == .keyTooLong)
        #expect((error?.key?.utf8.count ?? 0) <= 66)
    }

    @Test(arguments: Array(0...48) + [511, 512, 513, 4_095, 4_096])
    func keyPreservesBytesAtEveryLength(length: Int) throws {
        let text = String((0..<length).map { Character(UnicodeScalar(UInt8(97 + $0 % 23))) })
        let whole = StoreKey(text)
        try whole.validate()
        for prefixLength in Set((0...min(length, 48)) + [length / 2, length]) {
            let key = StoreKey(String(text.dropFirst(prefixLength)), prefix: String(text.prefix(prefixLength)))
            #expect(key == whole && key.hashValue == whole.hashValue)
            #expect(key.text == text && key.length == length && key.firstByte == text.utf8.first)
            #expect(key.prefix == text.prefix(prefixLength) && key.name == text.dropFirst(prefixLength))
            #expect(key.withBytes { Array($0) } == Array(text.utf8))
            #expect(key.rememberingHash().rememberedHash == whole.rememberingHash().rememberedHash)
            #expect(key != StoreKey(text + "x") && key != StoreKey(text + "\u{0}"))
        }
    }

    @Test func keysDifferingInOneByteAreNotEqual() {
        for length in 1...40 {
            let bytes = [UInt8](repeating: 107, count: length)
            let key = StoreKey(String(decoding: bytes, as: UTF8.self))
            for place in bytes.indices {
                var other = bytes
                other[place] = 108
                #expect(StoreKey(String(decoding: other, as: UTF8.self)) != key)
            }
        }
    }

    @Test func keysSortBytewise() {
        #expect(StoreKey("b", prefix: "a") < "b")
        #expect(StoreKey("Z") < "a")
        #expect(StoreKey("e\u{301}") < "\u{E9}")
        #expect(StoreKey("\u{FFFF}") < "\u{10000}")
    }

    @Test func keyDescriptionIsQuoted() { #expect(StoreKey("\n", prefix: "a").description == #""a\n""#) }

    @Test func keyConvertibleValuesHaveStableStorageKeys() {
        enum Flavour: String, KeyConvertible { case sour }
        #expect(Flavour.sour.storageKey == "sour")
        #expect((-3 as Int8).storageKey == "-3")
        #expect(UInt64.max.storageKey == "18446744073709551615")
        #expect("x".storageKey == "x")
        #expect(StringKeyQuery("k").key == "k")
    }
}
