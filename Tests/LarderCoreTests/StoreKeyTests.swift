import LarderCore
import Testing

@Suite struct StoreKeyTests {
    @Test func aKeyIsTheSameWhereverItsPrefixEnds() {
        #expect(StoreKey("pi", prefix: "Double.") == StoreKey("Double.pi"))
    }

    @Test func equalKeysHashAlike() {
        #expect(StoreKey("pi", prefix: "Double.").hashValue == StoreKey("uble.pi", prefix: "Do").hashValue)
    }

    @Test func composedAndDecomposedTextsAreTwoKeys() {
        #expect(StoreKey("\u{E9}") != StoreKey("e\u{301}"))
    }

    @Test func reservedKeysAreRefused() {
        #expect(throws: StoreError.self) { try StoreKey("\u{0}larder.x").validate() }
    }
}
