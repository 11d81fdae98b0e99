import Foundation
import Larder
import Testing

// Seed 003, the source of the page about DeviceStorageDataSource. Its Kotlin samples have Swift equivalents elsewhere.

/// "Usage", the tab "Swift".
private func usage() {
    let dataSource = DeviceStorageDataSource<Double>()

    dataSource.put(3.14159265359, forId: "pi")
    dataSource.get("pi").then { pi in print("pi: \(pi)") }.fail { error in }
    dataSource.delete("pi")
}

/// "Implementation Notes, Swift", first sample.
private func twoPrefixes() {
    // Swift
    let doubleDataSource = DeviceStorageDataSource<Double>(UserDefaults.standard, prefix: "Double")
    let intDataSource = DeviceStorageDataSource<Int>(UserDefaults.standard, prefix: "Int")
    doubleDataSource.put(3.14159265359, forId: "pi")
    intDataSource.put(3, forId: "pi")
}

/// "Implementation Notes, Swift", second sample.
private func readAsText() {
    // Swift
    let dataSource = DeviceStorageDataSource<String>(UserDefaults.standard, prefix: "Double")
    dataSource.get("pi").then { pi in
        print("Pi: \(pi)")
    }.fail { error in
        print("Error: \(error)")
    }
}

@Suite struct Seed003 {
    @Test func deviceStorageUsageSamplePrintsAndDeletesValue() {
        let lines = printed {
            usage()
            #expect(throws: CoreError.NotFound.self) { try DeviceStorageDataSource<Double>().get("pi").get() }
        }
        #expect(lines == ["pi: 3.14159265359"])
    }

    @Test func twoSourcesHaveSeparateEntriesInUserDefaults() {
        _ = printed {
            twoPrefixes()
            #expect(UserDefaults.standard.double(forKey: "Double.pi") == 3.14159265359)
            #expect(UserDefaults.standard.integer(forKey: "Int.pi") == 3)
        }
    }

    @Test func storedDoubleIsReadAsString() {
        let lines = printed {
            twoPrefixes()
            readAsText()
        }
        #expect(lines == ["Pi: 3.14159265359"])
    }

    @Test func missingValueThrowsDataNotFoundException() throws {
        _ = try printed {
            let source = DeviceStorageDataSource<Double>(UserDefaults.standard, prefix: "Nothing")
            let error = try #require(throws: DataNotFoundException.self) { try source.get(KeyQuery("pi")).get() }
            #expect(error.reason == .absent)
        }
    }

    @Test func everyListedTypeIsSupported() throws { try expectCompatibleTypes() }
}
