import DeviceStoreProofs
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import LarderTesting
import Testing

@Suite struct DeviceStoreContractTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases, KeyValueStoreContract.Check.allCases)
    func deviceStoreFulfillsStoreContract(io: DeviceStoreOptions.IO, check: KeyValueStoreContract.Check) async throws {
        let contract = KeyValueStoreContract(
            place: { try TemporaryDirectory() },
            open: { directory in
                var options = DeviceStoreOptions()
                options.io = io
                return try DeviceStore(path: directory.path("store.larder"), options: options)
            }
        )
        try await contract.sized(operationsOfEachThread: ProofVolume.of(10_000)).run(check)
    }
}
