import Foundation
import LarderCore
import LarderDeviceStorage
import LarderDeviceStore
import LarderTestSupport
import Testing

@Suite struct UserDefaultsMigrationTests {
    @Test func userDefaultsValuesAreMigratedOnce() throws {
        let suite = try TemporarySuite()
        suite.userDefaults.set(["a", "b"], forKey: "list")
        suite.userDefaults.set(0.5, forKey: "ratio")
        suite.userDefaults.synchronize()
        let store = try DeviceStore(path: suite.folder.path("s.larder"))
        let migration = StoreMigration("defaults", from: suite.userDefaults)
        let report = try migration.run(into: store)
        #expect(report.transfer.copied == ["list", "ratio"] && report.transfer.isExact)
        #expect(try store.get("list") == ["a", "b"])
        #expect(try migration.run(into: store).outcome == .alreadyDone)
        #expect(suite.userDefaults.double(forKey: "ratio") == 0.5)
        #expect(try store.verify().isIntact)
    }
}
