import LarderFiles
import Testing

/// Tests of SHA-256 with the examples that NIST publishes for FIPS 180-4, and with lengths around the block size.
@Suite struct SHA256Tests {
    private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func sha256OfStandardExamplesIsCorrect(text: String, hash: String) {
        #expect(hexadecimal(SHA256.of(text.utf8)) == hash)
    }

    @Test func sha256OfOneMillionLettersIsCorrect() {
        let hash = hexadecimal(SHA256.of(repeatElement(UInt8(ascii: "a"), count: 1_000_000)))
        #expect(hash == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func sha256HashesAroundBlockSizeAreDistinct() {
        let hashes = (50...130).map { SHA256.of(repeatElement(0, count: $0)) }
        #expect(Set(hashes).count == 81)
        #expect(hashes.allSatisfy { $0.count == SHA256.length })
        #expect(hexadecimal(hashes[14]) == "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b")
    }
}
