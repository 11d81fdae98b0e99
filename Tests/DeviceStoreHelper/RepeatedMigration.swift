import Foundation
import LarderCore
import LarderDeviceStore
import LarderStores
import LarderTestSupport

/// A series of migrations, each into its own store.
enum RepeatedMigration {
    /// Migrates until this process is killed, and writes the number of each completed migration to shared memory.
    static func run(_ source: String, _ options: DeviceStoreOptions, into folder: String, stating path: String) throws {
        let done = try SharedNumber(at: path)
        func file(_ number: Int64) -> String { "\(folder)/s\(number).larder" }
        while true {
            let number = done.value + 1
            let store = try DeviceStore(path: file(number), options: options)
            _ = try StoreMigration("s", fromPropertyListAt: source).run(into: store)
            done.value = number
            try store.close()
            // Only the last store is checked, and keeping all of them would fill the disk.
            for name in [file(number - 1), file(number - 1) + ".ctl"] { unlink(name) }
        }
    }
}
