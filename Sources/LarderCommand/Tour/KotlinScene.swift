import Foundation
import LarderCore
import LarderDataSources
import LarderStores

/// A scene of `larder tour` that shows Kotlin samples from the data source documentation next to their Swift equivalents.
///
/// The samples use a file in Android's shared preferences format.
enum KotlinScene {
    private struct ItemEntity: Codable, Sendable {
        var id: Int
        var by: String
        var title: String
    }

    static func play(in folder: URL, _ tour: TourPrinter) throws {
        try tour.title("Each Kotlin sample has a Swift equivalent")
        let path = folder.appending(path: "shared_prefs.xml").path
        let sharedPreferences = try SharedPreferencesStore(path: path)
        let doubleDataSource = DeviceStorageDataSource<Double>(sharedPreferences, prefix: "Double")
        let intDataSource = DeviceStorageDataSource<Int>(sharedPreferences, prefix: "Int")
        let dataSource = DeviceStorageDataSource<String>(sharedPreferences, prefix: "Double")

        try tour.remark(#"doubleDataSource.put(KeyQuery("pi"), 3.14159265359)"#)
        try tour.show(#"doubleDataSource.put(3.14159265359, in: KeyQuery("pi"))"#) {
            try doubleDataSource.put(3.14159265359, in: KeyQuery("pi")).get()
        }
        try tour.remark(#"intDataSource.put(KeyQuery("pi"), 3)"#)
        try tour.show(#"intDataSource.put(3, in: KeyQuery("pi"))"#) {
            try intDataSource.put(3, in: KeyQuery("pi")).get()
        }
        try tour.remark(#"dataSource.get(KeyQuery("pi"))"#)
        try tour.show(#"dataSource.get(KeyQuery("pi"))"#) { try dataSource.get(KeyQuery("pi")).get() }

        let texts = DeviceStorageDataSource<String>(sharedPreferences)
        let itemEntityDeviceStorageDataSource = SerializationDataSourceMapper(
            texts,
            texts,
            texts,
            StringToModelMapper(ItemEntity.self, JSONDecoder()),
            StringToListModelMapper([ItemEntity].self, JSONDecoder()),
            ModelToStringMapper<ItemEntity>(JSONEncoder()),
            ListModelToStringMapper<ItemEntity>(JSONEncoder())
        )
        let itemEntity = ItemEntity(id: 123, by: "by", title: "title")
        try tour.remark(#"itemEntityDeviceStorageDataSource.put(KeyQuery("1"), itemEntity).get()"#)
        try tour.show(#"itemEntityDeviceStorageDataSource.put(itemEntity, in: KeyQuery("1"))"#) {
            try itemEntityDeviceStorageDataSource.put(itemEntity, in: KeyQuery("1")).get()
        }
        try tour.remark(#"val result = itemEntityDeviceStorageDataSource.get(KeyQuery("1")).get()"#)
        try tour.show(#"itemEntityDeviceStorageDataSource.get(KeyQuery("1"))"#) {
            try itemEntityDeviceStorageDataSource.get(KeyQuery("1")).get()
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try Tour.check(
            text.contains(#"<double name="Double.pi" value="3.14159265359" />"#),
            "the file differs from the one that Android writes"
        )
    }
}
