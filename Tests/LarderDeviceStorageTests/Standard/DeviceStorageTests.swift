import Foundation
import LarderCore
import LarderDeviceStorage
import LarderStores
import LarderTestSupport
import Testing

struct DeviceStorageTests {
    @Test func standardOfATestProcessIsInMemory() {
        #expect(DeviceStorage.standard is MemoryStore)
    }

    @Test func standardIsAlwaysTheSame() {
        #expect(DeviceStorage.standard as? MemoryStore === DeviceStorage.standard as? MemoryStore)
        #expect(DeviceStorage.standardDefaults === DeviceStorage.standardDefaults)
    }

    @Test func standardDefaultsShowTheStandardStore() {
        let store = (DeviceStorage.standardDefaults as? StoreUserDefaults)?.store
        #expect(store as? MemoryStore === DeviceStorage.standard as? MemoryStore)
    }

    @Test func openingTheStandardStoreReturnsIt() throws {
        let opened = try DeviceStorage.openStandard()
        #expect(opened as? MemoryStore === DeviceStorage.standard as? MemoryStore)
    }

    @Test func configuringAfterTheFirstUseIsRefused() {
        _ = DeviceStorage.standard
        #expect(throwsCode(.invalidConfiguration) { try DeviceStorage.configure(application: "late") })
    }

    @Test(arguments: ["", ".", "..", "a/b", "a\0b"])
    func nameThatIsNoFileNameIsRefused(name: String) {
        #expect(throwsCode(.invalidConfiguration) { try DeviceStorage.configure(application: name) })
    }

    @Test func addressThatIsNoFolderIsRefused() {
        let address = URL(string: "https://a.b/c")
        #expect(throwsCode(.invalidConfiguration) { try DeviceStorage.configure(application: "a", directory: address) })
    }

    @Test func storeOverAFacadeIsTheFacadesOwn() {
        let store = MemoryStore()
        #expect(DeviceStorage.store(over: StoreUserDefaults(store)) as? MemoryStore === store)
    }

    @Test func storeOverUserDefaultsIsAUserDefaultsStore() throws {
        let folder = try TemporaryDirectory()
        let suite = try #require(UserDefaults(suiteName: folder.path("suite")))
        #expect(DeviceStorage.store(over: suite) is UserDefaultsStore)
    }
}
