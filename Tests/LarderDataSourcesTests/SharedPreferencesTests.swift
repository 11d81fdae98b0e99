import Foundation
import LarderCore
import LarderDataSources
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import Testing

@Suite struct SharedPreferencesTests {
    @Test func sharedPreferencesFileHasAndroidFormat() throws {
        let folder = try TemporaryDirectory()
        let store = try SharedPreferencesStore(path: folder.path("p.xml"))
        DeviceStorageDataSource<Double>(store, prefix: "Double").put(3.14159265359, forId: "pi")
        DeviceStorageDataSource<Int>(store, prefix: "Int").put(42, forId: "small")
        DeviceStorageDataSource<Int>(store, prefix: "Int").put(1 << 40, forId: "large")
        DeviceStorageDataSource<String>(store).putAll(["b", "a"], forId: "list")
        let text = try String(contentsOfFile: store.path, encoding: .utf8)
        #expect(
            text == """
                <?xml version='1.0' encoding='utf-8' standalone='yes' ?>
                <map>
                    <double name="Double.pi" value="3.14159265359" />
                    <long name="Int.large" value="1099511627776" />
                    <int name="Int.small" value="42" />
                    <set name="list">
                        <string>a</string>
                        <string>b</string>
                    </set>
                </map>

                """
        )
        #expect(try DeviceStorageDataSource<String>(store, prefix: "Double").get("pi").get() == "3.14159265359")
        #expect(try store.verify().isIntact)
    }

    @Test func sharedPreferencesEntryKeepsTypeIfNewValueFits() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("p.xml")
        let head = "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map>\n"
        try Data(
            (head
                + "<float name=\"F.a\" value=\"0.5\" /><long name=\"I.a\" value=\"1\" /><int name=\"I.b\" value=\"1\" /></map>")
                .utf8
        ).write(to: folder.url("p.xml"))
        let store = try SharedPreferencesStore(path: path)
        try DeviceStorageDataSource<Double>(store, prefix: "F").put(0.25, forId: "a").get()
        try DeviceStorageDataSource<Int>(store, prefix: "I").put(2, forId: "a").get()
        try DeviceStorageDataSource<Int>(store, prefix: "I").put(1 << 40, forId: "b").get()
        #expect(
            try String(contentsOfFile: path, encoding: .utf8) == head + """
                    <float name="F.a" value="0.25" />
                    <long name="I.a" value="2" />
                    <long name="I.b" value="1099511627776" />
                </map>

                """
        )
        #expect(try store.verify().isIntact)
    }

    @Test func unsupportedValueErrorNamesKey() throws {
        let folder = try TemporaryDirectory()
        let store = try SharedPreferencesStore(path: folder.path("p.xml"))
        let dates = #expect(throws: StoreError.self) {
            try DeviceStorageDataSource<Date>(store, prefix: "D").put(Date(), forId: "now").get()
        }
        #expect(dates?.code == .unsupportedValue && dates?.key == "D.now")
        #expect(dates?.message.contains("date") == true)
        let twice = #expect(throws: StoreError.self) {
            try DeviceStorageDataSource<String>(store).putAll(["a", "a"], forId: "l").get()
        }
        #expect(twice?.code == .unsupportedValue)
        #expect(try store.count() == 0)
        #expect(!FileManager.default.fileExists(atPath: store.path))
    }

    @Test func sharedPreferencesRoundTripThroughDeviceStore() async throws {
        let folder = try TemporaryDirectory()
        let android = try SharedPreferencesStore(path: folder.path("p.xml"))
        let device = try DeviceStore(path: folder.path("s.larder"))
        DeviceStorageDataSource<Double>(android, prefix: "Double").put(3.14159265359, forId: "pi")
        DeviceStorageDataSource<Float>(android).put(0.1, forId: "float")
        DeviceStorageDataSource<Int>(android).put(.max, forId: "long")
        DeviceStorageDataSource<Bool>(android).put(true, forId: "bool")
        DeviceStorageDataSource<String>(android).put("São\u{1}\n", forId: "text")
        DeviceStorageDataSource<String>(android).putAll(["a", "b"], forId: "set")

        let there = try device.copyEntries(from: android, .all)
        #expect(there.isExact && there.copied.count == 6)
        #expect(try device.entries() == android.entries())

        DeviceStorageDataSource<Date>(device).put(Date(timeIntervalSinceReferenceDate: 1), forId: "date")
        DeviceStorageDataSource<URL>(device).put(URL(filePath: "/a"), forId: "url")
        DeviceStorageDataSource<String>(device).putAll(["z", "a"], forId: "set")
        let again = try SharedPreferencesStore(path: folder.path("again.xml"))
        let none = try again.copyEntries(from: device, .all)
        #expect(none.copied.isEmpty && none.refused.map(\.key) == ["date", "url"])
        let back = try again.copyEntries(from: device, .possible)
        #expect(back.refused.map(\.kind) == [.date, .url])
        #expect(back.altered == ["set"])
        #expect(back.copied.count == 6)
        #expect(try again.get("long") == .int(.max))
        #expect(try again.verify().isIntact && device.verify().isIntact)
        try await device.close()
    }
}
