#if !canImport(Darwin)
import Foundation
import LarderCore
import LarderDeviceStorage
import LarderDeviceStore
import LarderTestSupport
import Testing

/// Tests the location of the device's storage on non-Apple platforms.
@Suite struct PlatformStandardStoreTests {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func permissions(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
    }

    @Test func valuesAreStoredInUserDataFolder() throws {
        let configuration = try StandardStoreConfiguration(application: "my app")
        let environment = ["XDG_DATA_HOME": folder.path("data"), "HOME": folder.path("home")]
        let store = try StandardStore.openOnPlatform(configuration, environment: environment)
        try store.set(5, for: "volume")
        #expect(store is DeviceStore)
        #expect((store as? DeviceStore)?.path == folder.path("data/my app/my app.larder"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("home")))
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: [nil, "", "relative/data"])
    func homeFolderIsUsedIfDataFolderPathIsNotAbsolute(dataHome: String?) throws {
        var environment = ["HOME": folder.path]
        environment["XDG_DATA_HOME"] = dataHome
        let configuration = try StandardStoreConfiguration(application: "app")
        #expect(
            try PlatformStandardStore.path(configuration, environment: environment)
                == folder.path(".local/share/app/app.larder")
        )
    }

    @Test func defaultFileIsNamedAfterExecutable() throws {
        let name = ProcessInfo.processInfo.processName
        #expect(
            try PlatformStandardStore.path(nil, environment: ["HOME": "/h"])
                == "/h/.local/share/\(name)/\(name).larder"
        )
    }

    @Test func valuesAreStoredInConfiguredDirectory() throws {
        let configuration = try StandardStoreConfiguration(application: "my app", directory: folder.url("settings"))
        let store = try StandardStore.openOnPlatform(configuration, environment: [:])
        try store.set(5, for: "volume")
        #expect(FileManager.default.fileExists(atPath: folder.path("settings/my app.larder")))
        #expect(try store.verify().isIntact)
    }

    @Test func foldersAndFilesAreReadableOnlyByOwner() throws {
        let configuration = try StandardStoreConfiguration(application: "app")
        let store = try StandardStore.openOnPlatform(configuration, environment: ["HOME": folder.path])
        try store.set(5, for: "volume")
        for name in [".local", ".local/share", ".local/share/app"] { #expect(try permissions(name) == 0o700) }
        for name in ["app.larder", "app.larder.ctl"] {
            #expect(try permissions(".local/share/app/" + name) == 0o600)
        }
    }

    @Test(arguments: [[:], ["HOME": ""], ["HOME": "relative"], ["XDG_DATA_HOME": "relative"]])
    func openWithoutHomeFolderThrowsNoLocation(environment: [String: String]) throws {
        #expect(throwsCode(.noLocation) { try StandardStore.openOnPlatform(nil, environment: environment) })
    }

    @Test func nonDirectoryHomeIsReportedWithPath() throws {
        try Data().write(to: folder.url("home"))
        let configuration = try StandardStoreConfiguration(application: "app")
        #expect {
            try StandardStore.openOnPlatform(configuration, environment: ["HOME": folder.path("home")])
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            let path = folder.path("home/.local/share/app/app.larder")
            return error.path == path && error.message.contains(path) && error.message.contains("another directory")
        }
    }

    @Test func corruptStoreIsRejectedUntilRepaired() throws {
        let configuration = try StandardStoreConfiguration(application: "app", directory: folder.url)
        try Data("not a store".utf8).write(to: folder.url("app.larder"))
        #expect(throwsCode(.damaged) { try StandardStore.openOnPlatform(configuration) })
        _ = try DeviceStore.repair(at: folder.path("app.larder"))
        #expect(try StandardStore.openOnPlatform(configuration).count() == 0)
    }

    // MARK: - Earlier values

    /// Creates the file in which earlier versions kept the device's storage, and returns the matching configuration.
    private func earlier() throws -> StandardStoreConfiguration {
        let suite = try #require(UserDefaults(suiteName: folder.path("app")))
        let store = UserDefaultsStore(suite)
        try store.set(.float(0.1), for: "ratio")
        try store.set("green", for: "colour")
        return try StandardStoreConfiguration(application: "app", directory: folder.url)
    }

    @Test func valuesInEarlierFileCanBeReadAndMigrated() throws {
        let configuration = try earlier()
        let (earlier, path) = try #require(PlatformStandardStore.earlierStore(configuration))
        #expect(path == folder.path("app.plist"))
        let store = try withIssueHandler({ _ in }) { try StandardStore.openOnPlatform(configuration) }
        #expect(try store.count() == 0)
        let report = try StoreMigration("UserDefaults", from: earlier).run(into: store)
        #expect(report.outcome == .migrated && report.transfer.isExact)
        #expect(try store.entries() == earlier.entries())
        #expect(try earlier.get("ratio") == .float(0.1))
        #expect(try store.verify().isIntact)
    }

    @Test func earlierFileIsReportedOnceForNewStore() throws {
        let configuration = try earlier()
        let first = try issueCodes { _ = try StandardStore.openOnPlatform(configuration) }
        let second = try issueCodes { _ = try StandardStore.openOnPlatform(configuration) }
        #expect(first == [.earlierValues] && second.isEmpty)
    }

    @Test func earlierValuesIsNilWithoutEarlierFile() throws {
        let configuration = try StandardStoreConfiguration(application: "app", directory: folder.url)
        #expect(PlatformStandardStore.earlierStore(configuration) == nil)
        #expect(try issueCodes { _ = try StandardStore.openOnPlatform(configuration) }.isEmpty)
    }
}
#endif
