import Foundation
import LarderDataSources
import LarderDeviceStorage
import LarderDeviceStore

/// A scene of `larder tour` in which two data sources use the same identifier, and a `Double` is read as a `String`.
enum DataSourceScene {
    static func play(in folder: URL, _ tour: TourPrinter) throws {
        try tour.title("A data source stores values of one type under identifiers")
        let store = try DeviceStore(path: folder.appending(path: "device.larder").path)
        let defaults = UserDefaultsFacade(store)
        let doubleDataSource = DeviceStorageDataSource<Double>(defaults, prefix: "Double")
        let intDataSource = DeviceStorageDataSource<Int>(defaults, prefix: "Int")
        let dataSource = DeviceStorageDataSource<String>(defaults, prefix: "Double")
        let urlDataSource = DeviceStorageDataSource<URL>(defaults, prefix: "Double")

        try tour.show(#"doubleDataSource.put(3.14159265359, forId: "pi")"#) {
            try doubleDataSource.put(3.14159265359, forId: "pi").get()
        }
        try tour.show(#"intDataSource.put(3, forId: "pi")"#) { try intDataSource.put(3, forId: "pi").get() }
        try tour.remark("Other code can read both values under prefixed keys:")
        try tour.show(#"defaults.double(forKey: "Double.pi")"#) { defaults.double(forKey: "Double.pi") }
        try tour.show(#"defaults.integer(forKey: "Int.pi")"#) { defaults.integer(forKey: "Int.pi") }
        try tour.remark(
            "A data source for strings converts the Double. A data source for URLs can't convert it and throws:"
        )
        try tour.show(#"dataSource.get("pi")"#) { try dataSource.get("pi").get() }
        try tour.showError(#"urlDataSource.get("pi")"#) { try urlDataSource.get("pi").get() }
        try tour.show(#"doubleDataSource.delete("pi")"#) { try doubleDataSource.delete("pi").get() }
        try tour.showError(#"doubleDataSource.get("pi")"#) { try doubleDataSource.get("pi").get() }
    }
}
