import Foundation
import LarderCore
import LarderDataSources
import LarderStores
import LarderTestSupport
import Testing

@Suite struct SharedPreferencesTests {
    @Test func valuesStandInTheFileAsAndroidWritesThem() throws {
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
}
