#if Encryption
import DeviceStoreProofs
import LarderCore
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

@Suite struct EncryptedStoreContractTests {
    @Test(arguments: KeyValueStoreContract.Check.allCases, allOptions)
    func encryptedMemoryStoreFulfillsContract(
        check: KeyValueStoreContract.Check,
        options: EncryptedStore.Options
    ) async throws {
        try await KeyValueStoreContract { try EncryptedStore(MemoryStore(), key: exampleKey, options: options) }
            .sized(operationsOfEachThread: ProofVolume.of(2_000))
            .run(check)
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases, [false, true])
    func encryptedPropertyListStoreFulfillsContract(check: KeyValueStoreContract.Check, hidesNames: Bool) async throws {
        let contract = KeyValueStoreContract(
            place: { try TemporaryDirectory() },
            open: { folder in
                try EncryptedStore(
                    PropertyListStore(path: folder.path("s.plist")),
                    key: exampleKey,
                    options: .init(hidesNames: hidesNames)
                )
            }
        )
        try await contract.run(check)
    }

    @Test func doublyEncryptedStoreFulfillsContract() async throws {
        try await KeyValueStoreContract {
            let outer = try EncryptedStore(MemoryStore(), key: exampleKey, options: .init(hidesNames: true))
            return try EncryptedStore(PrefixedStore(outer, prefix: "inner."), key: otherKey)
        }
        .sized(operationsOfEachThread: ProofVolume.of(2_000))
        .run()
    }
}
#endif
