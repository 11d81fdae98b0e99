#if Encryption
import Crypto
import LarderCore
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import Testing

// The code of the article "Encryption". The last test compares it with the code in the article.

private func vault(_ path: String) throws -> (store: EncryptedStore, base: DeviceStore, key: SymmetricKey) {
    // Article
    let key = SymmetricKey(size: .bits256)  // once; keep it in the keychain, or wherever your program keeps secrets
    let base = try DeviceStore(path: path)
    let vault = try EncryptedStore(base, key: key)
    try vault.set("hunter2", for: "password")
    print(try vault.value(String.self, for: "password") ?? "none")  // hunter2
    // end
    return (vault, base, key)
}

@Suite struct EncryptionArticle {
    @Test func encryptionArticleCodeRunsAsDocumented() throws {
        let folder = try TemporaryDirectory()
        let (store, base, key) = try vault(folder.path("vault.larder"))
        #expect(try EncryptedStore(base, key: key).get("password") == "hunter2")
        expectCode(.wrongKey) { _ = try EncryptedStore(base, key: otherKey) }
        try expectIntact(store)
    }

    @Test func encryptionArticleMatchesTestedCode() throws {
        let code = try articleCode(article: "LarderStores/LarderStores.docc/Encryption.md", source: #filePath)
        #expect(!code.printed.isEmpty)
        #expect(code.printed == code.tested)
    }
}
#endif
