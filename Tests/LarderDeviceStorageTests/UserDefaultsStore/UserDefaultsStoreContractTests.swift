import Foundation
import LarderDeviceStorage
import LarderTestSupport
import LarderTesting
import Testing

struct UserDefaultsStoreContractTests {
    private let contract = KeyValueStoreContract(
        place: { try TemporaryDirectory() },
        open: { folder in UserDefaultsStore(try #require(UserDefaults(suiteName: folder.path("suite")))) }
    )

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func userDefaultsStoreMeetsStoreContract(check: KeyValueStoreContract.Check) async throws {
        try await contract.run(check)
    }
}
