import Foundation
import Larder
import Testing

// The code of the article "Where values are kept", in the text's order; the last test compares it with the article's.

private enum Weather {
    static func start() throws {
        // Article
        do {
            try DeviceStorage.openStandard()
        } catch let error as StoreError where error.code == .noLocation || error.code == .notPermitted {
            try DeviceStorage.configure(application: "weather", directory: URL(filePath: "/var/lib/weather"))
        } catch let error as StoreError where error.code == .damaged {
            let damage = try DeviceStore.repair(at: error.path ?? "")  // copies the file aside first
            print(damage.map(String.init(describing:)) ?? "")
        }
        // end
    }

    // Compiled and not called: it reads what the user of this machine has stored.
    static func moveIn() throws -> StoreMigration.Report? {
        // Article
        let report = try DeviceStorage.earlierValues()?.run(into: DeviceStorage.standard)
        // end
        return report
    }
}

@Suite struct WhereValuesAreKeptArticle {
    @Test func theCodeThatOpensTheStandardStoreDoesWhatItSays() throws {
        try Weather.start()
        #expect(try DeviceStorage.standard.verify().isIntact)
    }

    @Test func theCodeOfTheArticleIsTheCodeThatIsTested() throws {
        try expectSameCode(
            article: "LarderDeviceStorage/LarderDeviceStorage.docc/WhereValuesAreKept.md",
            source: #filePath
        )
    }
}
