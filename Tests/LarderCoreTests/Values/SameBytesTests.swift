import LarderCore
import Testing

@Suite struct SameBytesTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test(arguments: 0...17)
    func stringsWithSameBytesAreEqual(length: Int) {
        let bytes = (0..<UInt8(length)).map { 97 + $0 }
        #expect(text(bytes).hasSameBytes(as: text(bytes)))
    }

    @Test(arguments: 0...17)
    func stringsDifferingInOneByteAreNotEqual(length: Int) {
        let bytes = (0..<UInt8(length)).map { 97 + $0 }
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 1
            #expect(!text(bytes).hasSameBytes(as: text(other)), "at \(place)")
            #expect(!text(other).hasSameBytes(as: text(bytes)), "at \(place)")
        }
    }

    @Test(arguments: 0...17)
    func stringWithAdditionalByteIsNotEqual(length: Int) {
        let bytes = (0..<UInt8(length)).map { 97 + $0 }
        #expect(!text(bytes).hasSameBytes(as: text(bytes + [0])))
        #expect(!text(bytes + [0]).hasSameBytes(as: text(bytes)))
    }

    @Test func canonicallyEquivalentStringsDiffer() {
        let composed = "caf\u{E9} of the morning"
        let decomposed = "cafe\u{301} of the morning"
        #expect(composed == decomposed)
        #expect(!composed.hasSameBytes(as: decomposed))
    }

    @Test(arguments: [7, 8, 15, 16, 17])
    func substringIsComparedFromItsFirstByte(length: Int) {
        let long = "xyz" + String(repeating: "ab", count: 20)
        let part = String(long.dropFirst(3).prefix(length))
        #expect(part.hasSameBytes(as: String(repeating: "ab", count: 20).prefix(length).description))
    }
}
