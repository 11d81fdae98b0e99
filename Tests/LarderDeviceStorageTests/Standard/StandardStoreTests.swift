import Foundation
import LarderCore
import LarderDeviceStorage
import LarderStores
import LarderTestSupport
import Testing

struct StandardStoreTests {
    @Test func standardStoreOfTestProcessIsInMemory() {
        #expect(StandardStore.shared is MemoryStore)
    }

    @Test func standardStoreIsAlwaysSameInstance() {
        #expect(StandardStore.shared as? MemoryStore === StandardStore.shared as? MemoryStore)
        #expect(StandardStore.userDefaults === StandardStore.userDefaults)
    }

    @Test func standardUserDefaultsUsesStandardStore() {
        let store = (StandardStore.userDefaults as? UserDefaultsFacade)?.store
        #expect(store as? MemoryStore === StandardStore.shared as? MemoryStore)
    }

    @Test func openReturnsStandardStore() throws {
        let opened = try StandardStore.open()
        #expect(opened as? MemoryStore === StandardStore.shared as? MemoryStore)
    }

    @Test func configuringAfterFirstUseThrows() {
        _ = StandardStore.shared
        #expect(throwsCode(.invalidConfiguration) { try StandardStore.configure(application: "late") })
    }

    @Test(arguments: ["", ".", "..", "a/b", "a\0b"])
    func invalidFileNameIsRejected(name: String) {
        #expect(throwsCode(.invalidConfiguration) { try StandardStore.configure(application: name) })
    }

    @Test func nonFileURLDirectoryIsRejected() {
        let address = URL(string: "https://a.b/c")
        #expect(throwsCode(.invalidConfiguration) { try StandardStore.configure(application: "a", directory: address) })
    }

    @Test func userDefaultsFacadeIsUnwrappedToItsStore() {
        let store = MemoryStore()
        #expect(StandardStore.store(over: UserDefaultsFacade(store)) as? MemoryStore === store)
    }

    @Test func plainUserDefaultsIsWrappedInUserDefaultsStore() throws {
        let folder = try TemporaryDirectory()
        let suite = try #require(UserDefaults(suiteName: folder.path("suite")))
        #expect(StandardStore.store(over: suite) is UserDefaultsStore)
    }
}
