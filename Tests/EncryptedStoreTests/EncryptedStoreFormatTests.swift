#if Encryption
import Crypto
import Foundation
import LarderCore
import LarderStores
import Testing

/// The worked example of Documentation/Formats/encrypted-store-v1.md.
@Suite struct EncryptedStoreFormatTests {
    struct Example: Sendable {
        let options: EncryptedStore.Options
        let records: [(key: StoreKey, bytes: String)]
        let entry: (key: String, bytes: String)
    }

    @Test func printExamples() throws {
        for options in allOptions {
            let base = MemoryStore()
            let store = try EncryptedStore(base, key: exampleKey, options: options, environment: .counting())
            try store.set(42, for: "pi")
            try store.set(42, for: "pi")
            print("EX", options, try #require(try base.get(headerRecord)).description)
            print("EX", hexadecimal(try #require(try base.get(headerRecord)).bytes))
            print("EX", try base.get(epochRecord)!, try base.get(sessionsRecord)!)
            print("EX", hexadecimal(try #require(try base.get(saltRecord(0))).bytes))
            for e in try base.entries() { print("EX", e.key, hexadecimal(e.value.bytes)) }
        }
    }
}
#endif
