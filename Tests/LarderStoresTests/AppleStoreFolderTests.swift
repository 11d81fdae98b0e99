import LarderCore
import LarderStores
import Testing

@Suite struct AppleStoreFolderTests {
    #if !canImport(Darwin)
    @Test(arguments: [nil, "group.org.example"])
    func elsewhereItIsRefusedAndNothingIsMade(appGroup: String?) {
        var folder = AppleStoreFolder("weather")
        folder.appGroup = appGroup
        #expect {
            try folder.make()
        } throws: {
            ($0 as? StoreError)?.code == .invalidConfiguration
        }
    }
    #endif
}
