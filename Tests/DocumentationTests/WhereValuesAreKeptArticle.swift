// Article
import Foundation
import Larder
// end
import Testing

// The code of the article "Where values are stored", in its order. The last test compares it with the article.

private enum Weather {
    // Compiled and not called: the standard store can't be configured after its first use.
    static func configure() throws {
        // Article
        try StandardStore.configure(application: "weather")  // call this first in the program
        try StandardStore.shared.set(21, for: "temperature")
        print(try StandardStore.shared.value(Int.self, for: "temperature") ?? 0)  // 21
        // end
    }

    static func start() throws {
        // Article
        do {
            try StandardStore.open()
        } catch let error as StoreError where error.code == .noLocation || error.code == .notPermitted {
            try StandardStore.configure(application: "weather", directory: URL(filePath: "/var/lib/weather"))
        } catch let error as StoreError where error.code == .damaged {
            let damage = try DeviceStore.repair(at: error.path ?? "")  // first saves a copy of the file
            print(damage.map(String.init(describing:)) ?? "")
        }
        // end
    }

    // Compiled but not called: it reads the user's real values.
    static func moveIn() throws -> StoreMigration.Report? {
        // Article
        let report = try StandardStore.earlierValues()?.run(into: StandardStore.shared)
        // end
        return report
    }
}

@Suite struct WhereValuesAreKeptArticle {
    @Test func articleCodeRunsAsDocumented() throws {
        try Weather.start()
        #expect(try StandardStore.shared.verify().isIntact)
    }

    @Test func articleCodeMatchesTestedCode() throws {
        try expectSameCode(
            article: "LarderDeviceStorage/LarderDeviceStorage.docc/WhereValuesAreKept.md",
            source: #filePath
        )
    }
}
