import Foundation
import Larder
import Testing

// Seed 000, a page about DeviceStorageDataSource.
//
// On the page the line breaks of every sample are lost, so that what follows its first "//" is one comment as printed. They are
// restored here; nothing else is changed. Its Kotlin samples have Swift equivalents elsewhere.

/// "Usage": the page shows the Kotlin lines alone; these are the same three calls.
private func usage() {
    let dataSource = DeviceStorageDataSource<Double>()
    dataSource.put(3.14159265359, forId: "pi")
    _ = dataSource.get("pi")
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

@Suite struct Seed000 {
    @Test func usageSampleDeletesStoredValue() {
        _ = printed {
            usage()
            #expect(throws: CoreError.NotFound.self) { try DeviceStorageDataSource<Double>().get("pi").get() }
        }
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

    @Test func unconvertibleValueThrowsNotFound() throws {
        _ = try printed {
            twoPrefixes()
            let dates = DeviceStorageDataSource<Date>(UserDefaults.standard, prefix: "Double")
            let error = try #require(throws: CoreError.NotFound.self) { try dates.get("pi").get() }
            #expect(error.reason == .notConvertible(stored: .double, asked: "Date"))
        }
    }

    @Test func everyListedTypeIsSupported() throws { try expectCompatibleTypes() }
}
