import LarderCore
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

@Suite struct DeviceStoreContractTests {
    private let contract = KeyValueStoreContract(
        place: { try TemporaryDirectory() },
        open: { directory in try DeviceStore(path: directory.path("store.larder")) }
    )

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func keepsTheContract(check: KeyValueStoreContract.Check) async throws { try await contract.run(check) }
}
