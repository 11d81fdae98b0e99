import Foundation
import LarderCore
import LarderDeviceStore
import Testing

@Suite struct AppleStoreFolderTests {
    @Test func privacyManifestListsRequiredReasonAPIs() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let bytes = try Data(contentsOf: root.appending(path: "Sources/LarderFiles/PrivacyInfo.xcprivacy"))
        let manifest = try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any]
        let types = manifest?["NSPrivacyAccessedAPITypes"] as? [[String: Any]] ?? []
        let names = types.compactMap { $0["NSPrivacyAccessedAPIType"] as? String }
        #expect(names.count == 3 && names.contains("NSPrivacyAccessedAPICategoryUserDefaults"))
        #expect(manifest?["NSPrivacyTracking"] as? Bool == false)
    }

    #if !canImport(Darwin)
    @Test(arguments: [nil, "group.org.example"])
    func appleStoreFolderIsRejectedOnOtherPlatforms(appGroup: String?) {
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
